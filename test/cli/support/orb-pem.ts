import { createHash, createPublicKey } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** A secp256k1 public key of an orb, derived from a number. */
export interface OrbPem {
  readonly pem: string;
  /** SHA-256 of its DER, 64 hex digits. */
  readonly hash: string;
}

/** Public key of the secret key `number`, which must be above 0. */
export function orbPem(number: number): OrbPem {
  const secret = new Uint8Array(32);
  new DataView(secret.buffer).setUint32(28, number);
  const point = secp256k1.getPublicKey(secret, false);
  const coordinate = (at: number): string => Buffer.from(point.subarray(at, at + 32)).toString('base64url');
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'secp256k1', x: coordinate(1), y: coordinate(33) },
    format: 'jwk',
  });
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    pem: key.export({ type: 'spki', format: 'pem' }) as string,
    hash: createHash('sha256').update(der).digest('hex'),
  };
}
