import { externalNullifier } from '../../semaphore/hashes.ts';

/** Actions are at most 4,096 bytes, so that this bounds the memory too. */
const MAX_ENTRIES = 1000;

/** Gives the external nullifier of an app and an action; the bytes are shared and must not be written. */
export type ExternalNullifiers = (appId: string, action: string) => Uint8Array;

/**
 * External nullifiers computed once while they are in use: two Keccak runs are a third of the time that the main
 * thread spends on a request. At more than `maxEntries` those of the app that has been here longest go.
 */
export function createExternalNullifiers(maxEntries: number = MAX_ENTRIES): ExternalNullifiers {
  // by app, then by action: no text of one can be taken for part of the other
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
