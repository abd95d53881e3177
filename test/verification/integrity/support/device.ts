import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/** Signature format of a bundle. */
export type SignatureFormat = 'apple_app_attest' | 'android_keystore';

/** A device with a key of its own. Signs with another implementation than the service verifies with. */
export interface Device {
  readonly jwk: JsonWebKey;
  /** Signs a digest of 32 bytes; DER, or the CBOR of an assertion. `isHigh` chooses the larger of both values of s. */
  sign(format: SignatureFormat, digest: Uint8Array, isHigh?: boolean): Buffer;
}

/** Authenticator data of an assertion: hash of the app id, flags, counter. */
const AUTHENTICATOR_DATA = Buffer.concat([Buffer.alloc(32, 0xaa), Buffer.of(0x40, 0, 0, 0, 7)]);

/** Returns the SHA-256 of the parts in a row. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Encodes a byte string (type 2) or a text (type 3) in CBOR, of 24 to 255 bytes or below 24. */
export function cborString(type: 2 | 3, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  const head = bytes.length < 24 ? [(type << 5) | bytes.length] : [(type << 5) | 24, bytes.length];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** Encodes an assertion with these entries in CBOR. */
export function cborAssertion(...entries: readonly (readonly [string, Uint8Array])[]): Buffer {
  return Buffer.concat([
    Buffer.of(0xa0 | entries.length),
    ...entries.flatMap(([name, bytes]) => [cborString(3, name), cborString(2, bytes)]),
  ]);
}

/** Creates a device with a new key. */
export function createDevice(): Device {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');

  function signDigest(digest: Uint8Array, isHigh: boolean): Uint8Array {
    const low = p256.Signature.fromBytes(p256.sign(digest, secret, { prehash: false, lowS: true }));
    const high = new p256.Signature(low.r, p256.Point.Fn.ORDER - low.s);
    return (isHigh ? high : low).toBytes('der');
  }

  return {
    jwk: publicKey.export({ format: 'jwk' }),
    sign(format, digest, isHigh = false) {
      if (format === 'android_keystore') return Buffer.from(signDigest(digest, isHigh));
      const nonce = sha256(AUTHENTICATOR_DATA, digest);
      return cborAssertion(
        ['signature', signDigest(sha256(nonce), isHigh)],
        ['authenticatorData', AUTHENTICATOR_DATA],
      );
    },
  };
}
