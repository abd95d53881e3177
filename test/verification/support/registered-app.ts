import { createApp } from '../../../src/apps/apps.ts';
import { parseRoot } from '../../../src/membership/roots/roots.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type ProofVector, vector } from './vectors.ts';

/** Adds the missing apps of the entries. */
export async function addApps(store: Store, entries: readonly ProofVector[], now: number): Promise<void> {
  for (const { app_id: appId } of entries) {
    if (appId !== undefined && !(await store.apps.findByAppId(appId)))
      await createApp(store.apps, { appId }, now);
  }
}

/** Makes a row for the root of an entry, by default in production and tree orb. */
export function rootOf(entry: ProofVector, now: number, change: Partial<RootRow> = {}): RootRow {
  return {
    ...parseRoot({ environment: 'production', tree: 'orb', root: entry.merkle_root }, now),
    ...change,
  };
}

/** Entries for tests over HTTP: two of one person with the same nullifier, and one of another app. */
export const HTTP_ENTRIES: readonly ProofVector[] = [vector(0), vector(1), vector(2)];
