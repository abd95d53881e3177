import { ServiceError } from '../../errors/index.ts';
import { writeHex } from '../../semaphore/index.ts';
import type { OrbKeyStore } from '../../storage/index.ts';

const KEY_HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;

/**
 * Sets a key of an orb to revoked: packages that only this key verifies are refused from now on.
 *
 * @param keyHash - 64 hex digits, as `orb-keys list` shows them.
 * @throws ServiceError `orb_key.unknown`, also for a text that is not a hash
 */
export async function revokeOrbKey(store: OrbKeyStore, orbId: string, keyHash: string): Promise<void> {
  const digits = KEY_HASH.exec(keyHash)?.[1];
  if (digits === undefined) {
    throw new ServiceError('orb_key.unknown', 'invalid key hash: expected 64 hex digits');
  }
  const hash = new Uint8Array(32);
  writeHex(digits, 0, digits.length, hash);
  if (!(await store.revoke(orbId, hash))) throw new ServiceError('orb_key.unknown');
}
