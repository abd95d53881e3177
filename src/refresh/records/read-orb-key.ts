import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Bytes32, OrbKeyRow } from '../../storage/index.ts';
import { LineRefused } from './line-refused.ts';

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\s*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/**
 * The only DER forms of a SubjectPublicKeyInfo (RFC 5480) with the algorithm id-ecPublicKey 1.2.840.10045.2.1 and
 * the named curve secp256k1 1.3.132.0.10, up to the coordinates: uncompressed, and compressed of either sign.
 */
const NAMED_SECP256K1 = [
  { head: '3056301006072a8648ce3d020106052b8104000a03420004', length: 88 },
  { head: '3036301006072a8648ce3d020106052b8104000a03220002', length: 56 },
  { head: '3036301006072a8648ce3d020106052b8104000a03220003', length: 56 },
] as const;

/**
 * Reads the public key of an orb: one `BEGIN PUBLIC KEY` block with an SPKI on the named curve secp256k1 and nothing
 * around it but white space.
 *
 * @returns The PEM of the uncompressed point and the SHA-256 of its DER, so that equal keys are equal.
 * @throws LineRefused `invalid_pem`, `wrong_curve`; the message begins with `name`
 */
export function readOrbKey(pem: string, name: string): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  const base64 = PEM.exec(pem)?.[1]?.replaceAll(/[\r\n]/g, '') ?? '';
  if (base64 === '' || !BASE64.test(base64)) {
    throw invalidPem(`${name}: expected one block BEGIN PUBLIC KEY and nothing else`);
  }
  const der = Buffer.from(base64, 'base64');
  const key = decode(der, name);
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'secp256k1') {
    throw new LineRefused('wrong_curve', `${name}: expected a public key on secp256k1`);
  }
  // OpenSSL takes explicit curve parameters, hybrid points and bytes after the key as well
  const hex = der.toString('hex');
  if (!NAMED_SECP256K1.some(({ head, length }) => hex.startsWith(head) && der.length === length)) {
    throw invalidPem(`${name}: expected the curve by its name, one point, and no bytes after it`);
  }
  return normalised(key);
}

function decode(der: Buffer, name: string): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw invalidPem(`${name}: expected the DER of a SubjectPublicKeyInfo whose point is on its curve`);
  }
}

function normalised(key: KeyObject): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  // a JWK has both coordinates, so that the export below is the uncompressed form
  const uncompressed = createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' });
  const keyHash: Bytes32 = createHash('sha256')
    .update(uncompressed.export({ type: 'spki', format: 'der' }))
    .digest();
  return { keyHash, pem: uncompressed.export({ type: 'spki', format: 'pem' }) as string };
}

function invalidPem(message: string): LineRefused {
  return new LineRefused('invalid_pem', message);
}
