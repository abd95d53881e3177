import { type KeyObject, verify } from 'node:crypto';
import type { Log } from '../../observability/index.ts';
import type { OrbKeyRow, OrbKeyStore } from '../../storage/index.ts';
import { SIGNATURE_PART } from '../request/index.ts';
import { MAX_ACTIVE_ORB_KEYS } from '../types.ts';
import { orbPublicKey } from './orb-public-key.ts';
import { packageRefusal } from './refusal.ts';

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
  // PostgreSQL has no NUL in texts and answers such a query with an error
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
