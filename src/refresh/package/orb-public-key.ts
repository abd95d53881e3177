import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const PEM = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)-----END PUBLIC KEY-----\n?$/;
/** DER of a SubjectPublicKeyInfo (RFC 5480) on secp256k1, 1.3.132.0.10, up to the coordinates of its point. */
const HEAD: Buffer = Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex');
const COORDINATES_BYTES = 64;

/**
 * Cache size. Reading a key takes a fifth of the time of a verification, on the main thread; there are some
 * thousand orbs.
 */
const MAX_CACHED = 4096;
const cache = new LRUCache<string, KeyObject>({ max: MAX_CACHED });

/**
 * Reads the public key of a PEM text; undefined for any form other than the one that imports write, an
 * uncompressed point on secp256k1. Keys are cached, since a key depends only on its text.
 */
export function orbPublicKey(pem: string): KeyObject | undefined {
  const cached = cache.get(pem);
  if (cached !== undefined) return cached;
  const key = readKey(pem);
  if (key !== undefined) cache.set(pem, key);
  return key;
}

// Compares bytes: OpenSSL also accepts unusual encodings, and Node 20 aborts when queried for the curve of a
// key whose point is at infinity. A row that someone wrote to the database must not cause that.
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
