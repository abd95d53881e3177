import { externalNullifier } from '../../semaphore/hashes.ts';

/** Actions are at most 4,096 bytes, so this bounds the memory, too. */
const MAX_ENTRIES = 1000;

/**
 * Returns the external nullifier of an app and an action, 32 bytes that are shared and must not be changed.
 */
export type ExternalNullifiers = (appId: string, action: string) => Uint8Array;

/**
 * Creates a cache of external nullifiers: computing one takes two Keccak runs, a third of the time that the
 * main thread spends on a request. Above `maxEntries`, all entries of the app that was added first are
 * evicted.
 */
export function createExternalNullifiers(maxEntries: number = MAX_ENTRIES): ExternalNullifiers {
  // by app, then by action, so that no pair of texts is ambiguous
  const apps = new Map<string, Map<string, Uint8Array>>();
  let size = 0;

  function dropOldest(): void {
    const [oldest] = apps;
    if (!oldest) return;
    const [appId, actions] = oldest;
    size -= actions.size;
    apps.delete(appId);
  }

  return (appId, action) => {
    const known = apps.get(appId)?.get(action);
    if (known !== undefined) return known;
    const word = externalNullifier(appId, action);
    if (size >= maxEntries) dropOldest();
    const actions = apps.get(appId) ?? new Map<string, Uint8Array>();
    apps.set(appId, actions);
    actions.set(action, word);
    size++;
    return word;
  };
}
