import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../observability/log/log.ts';
import type { OrbKeyRow, OrbKeyStore } from '../../storage/refresh/orb-keys.ts';
import { SIGNATURE_PART } from '../request/parse-form.ts';
import { MAX_ACTIVE_ORB_KEYS } from '../types.ts';
import { packageRefusal } from './read-package.ts';

/**
 * Returns the keys that may have signed a package of an orb (spec/refresh.md#package-checks, orb-key).
 *
 * @returns At least one, at most 16, all active.
 * @throws ServiceError `refresh.package_invalid`, `store.unreachable`
 */
export async function findOrbKeys(
  store: Pick<OrbKeyStore, 'list'>,
  orbId: string,
): Promise<readonly OrbKeyRow[]> {
  // PostgreSQL has no NUL in text and answers such a query with an error
  const rows = orbId.includes('\0') ? [] : await store.list(orbId);
  // bounds the work of a request, whatever the store contains
  const active = rows.filter(({ status }) => status === 'active').slice(0, MAX_ACTIVE_ORB_KEYS);
  if (active.length === 0) {
    throw packageRefusal('orb_key', 'orb_id', 'orb key: no active key is registered for the orb');
  }
  return active;
}

/**
 * Checks the signature (spec/refresh.md#package-checks, signature): ECDSA over the SHA-256 of the manifest,
 * in DER, by one of the keys. Both s and n − s are valid: the secure element of an orb does not normalise s.
 * OpenSSL refuses anything but exact DER.
 *
 * @param manifest - The exact bytes received.
 * @param log - Receives a warning about each stored key that is unusable; such a key is skipped.
 * @throws ServiceError `refresh.package_invalid`
 */
export async function checkSignature(
  manifest: Uint8Array,
  signature: Uint8Array,
  keys: readonly OrbKeyRow[],
  log?: Pick<Log, 'warn'>,
): Promise<void> {
  for (const { pem, keyHash } of keys) {
    const key = orbPublicKey(pem);
    if (key === undefined) {
      const keyId = Buffer.from(keyHash).toString('hex');
      log?.warn('a stored orb key is not a public key on secp256k1', { table: 'orb_keys', keyId });
    } else if (await isValidSignature(manifest, signature, key)) {
      return;
    }
  }
  throw packageRefusal('signature', SIGNATURE_PART, 'signature: of none of the active keys of the orb');
}

/**
 * Verifies in a thread of libuv's pool. A signature that is not DER is false; an error is an internal error.
 */
function isValidSignature(manifest: Uint8Array, signature: Uint8Array, key: KeyObject): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify('sha256', manifest, { key, dsaEncoding: 'der' }, signature, (error, isValid) => {
      if (error === null) resolve(isValid);
      else reject(error);
    });
  });
}

const PEM = /^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=\n]+)-----END PUBLIC KEY-----\n?$/;
/** DER of a SubjectPublicKeyInfo (RFC 5480) on secp256k1, 1.3.132.0.10, up to the coordinates of its point. */
const HEAD: Buffer = Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex');
const COORDINATES_BYTES = 64;

/**
 * Cache size. Reading a key takes a fifth of the time of a verification, on the main thread; there are a few thousand
 * orbs.
 */
const MAX_CACHED = 4096;
const cache = new LRUCache<string, KeyObject>({ max: MAX_CACHED });

/**
 * Reads the public key of a PEM text; undefined for any form other than that written by imports, an uncompressed point
 * on secp256k1. Keys are cached, since a key depends only on its text.
 */
function orbPublicKey(pem: string): KeyObject | undefined {
  const cached = cache.get(pem);
  if (cached !== undefined) return cached;
  const key = readKey(pem);
  if (key !== undefined) cache.set(pem, key);
  return key;
}

// Compares bytes: OpenSSL also accepts unusual encodings, and Node 20 aborts when queried for the curve of a key whose
// point is at infinity. A manipulated row of the database must not cause that.
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
