import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const PEM = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)-----END PUBLIC KEY-----\n?$/;
/** DER of a SubjectPublicKeyInfo (RFC 5480) on secp256k1, 1.3.132.0.10, up to the coordinates of its point. */
const HEAD: Buffer = Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex');
const COORDINATES_BYTES = 64;

/** Reading a key takes a fifth of the time of a verification, on the main thread; there are some thousand orbs. */
const MAX_KEPT = 4096;
const kept = new LRUCache<string, KeyObject>({ max: MAX_KEPT });

/**
 * The public key of a PEM text, undefined for any other form than the one that imports write: an uncompressed point
 * on secp256k1. Remembers what it read: a key is a function of its text alone.
 */
export function orbPublicKey(pem: string): KeyObject | undefined {
  const known = kept.get(pem);
  if (known !== undefined) return known;
  const key = readKey(pem);
  if (key !== undefined) kept.set(pem, key);
  return key;
}

// By its bytes: OpenSSL takes odd encodings as well, and Node 20 aborts when it is asked for the curve of a key whose
// point is the one at infinity. A row that somebody wrote into the database must not do that.
function readKey(pem: string): KeyObject | undefined {
  const der = Buffer.from(PEM.exec(pem)?.[1] ?? '', 'base64');
  const isUncompressed =
    der.length === HEAD.length + COORDINATES_BYTES && der.subarray(0, HEAD.length).equals(HEAD);
  if (!isUncompressed) return undefined;
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
