import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Bytes32, OrbKeyRow } from '../../storage/index.ts';
import { LineRefused } from './line-refused.ts';

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\s*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Head of the DER of a SubjectPublicKeyInfo (RFC 5280): a sequence that begins with a sequence. */
const SPKI = /^30(?:[0-7][0-9a-f]|81[0-9a-f]{2}|82[0-9a-f]{4})(?=30)/;
/** AlgorithmIdentifier (RFC 5480): id-ecPublicKey 1.2.840.10045.2.1 on the named curve secp256k1 1.3.132.0.10. */
const SECP256K1 = '301006072a8648ce3d020106052b8104000a';
/** The forms of such a key up to its point: uncompressed (04), and compressed of either sign (02, 03). */
const FORMS = [
  { head: `3056${SECP256K1}03420004`, length: 88 },
  { head: `3036${SECP256K1}03220002`, length: 56 },
  { head: `3036${SECP256K1}03220003`, length: 56 },
] as const;

/**
 * Reads the public key of an orb: one `BEGIN PUBLIC KEY` block with an SPKI on the named curve secp256k1, and
 * only white space around it.
 *
 * @returns The PEM of the uncompressed point and the SHA-256 of its DER, so that equal keys have equal
 *   hashes.
 * @throws LineRefused `invalid_pem`, `wrong_curve`; the message begins with `name`
 */
export function readOrbKey(pem: string, name: string): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  const base64 = PEM.exec(pem)?.[1]?.replaceAll(/[\r\n]/g, '') ?? '';
  if (base64 === '' || !BASE64.test(base64)) {
    throw invalidPem(`${name}: expected one block BEGIN PUBLIC KEY and nothing else`);
  }
  const der = Buffer.from(base64, 'base64');
  const hex = der.toString('hex');
  if (!FORMS.some(({ head, length }) => hex.startsWith(head) && der.length === length)) {
    throw refusalOf(hex, name);
  }
  return normalised(decode(der, name));
}

// Compares bytes: OpenSSL also accepts explicit curve parameters, hybrid points and bytes after the key, and
// Node aborts the process when queried for the curve of a key whose point is at infinity.
function refusalOf(hex: string, name: string): LineRefused {
  const algorithm = hex.replace(SPKI, '');
  if (algorithm === hex) return invalidPem(`${name}: expected the DER of a SubjectPublicKeyInfo`);
  return algorithm.startsWith(SECP256K1)
    ? invalidPem(`${name}: expected one point of secp256k1 and no bytes after it`)
    : new LineRefused('wrong_curve', `${name}: expected a public key on the named curve secp256k1`);
}

function decode(der: Buffer, name: string): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw invalidPem(`${name}: expected a point of secp256k1`);
  }
}

function normalised(key: KeyObject): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  // a JWK has both coordinates, so the export below is the uncompressed form
  const uncompressed = createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' });
  const keyHash: Bytes32 = createHash('sha256')
    .update(uncompressed.export({ type: 'spki', format: 'der' }))
    .digest();
  return { keyHash, pem: uncompressed.export({ type: 'spki', format: 'pem' }) as string };
}

function invalidPem(message: string): LineRefused {
  return new LineRefused('invalid_pem', message);
}
