import type { OrbKeyStore } from '../../storage/index.ts';
import { MAX_ACTIVE_ORB_KEYS } from '../types.ts';
import {
  type ImportObserver,
  type ImportResult,
  importLines,
  type LineOutcome,
  type RecordKind,
} from './import-lines.ts';
import { LineRefused } from './line-refused.ts';
import { type OrbKeyLine, parseOrbKeyLine } from './parse-orb-key-line.ts';

/**
 * Imports keys of orbs from JSON Lines (spec/refresh.md#imports). Keys are added to the stored ones; a line
 * counts as added if at least one of its keys is new. A refused line adds none of its keys. Idempotent.
 *
 * @param chunks - UTF-8, split at any position.
 * @param now - Milliseconds since the epoch, the time at which new keys are added.
 * @throws ServiceError `store.unreachable`; earlier lines stay
 */
export async function importOrbKeys(
  chunks: AsyncIterable<Uint8Array | string>,
  store: OrbKeyStore,
  isDryRun: boolean,
  now: number,
  observer: ImportObserver,
): Promise<ImportResult> {
  const kind: RecordKind<OrbKeyLine> = {
    parse: (line) => parseOrbKeyLine(line, now),
    store: async (lines) => await addKeys(lines, store, isDryRun),
  };
  return await importLines(chunks, kind, observer);
}

/** Adds lines of one orb one after another; those of different orbs run concurrently and share commits. */
async function addKeys(
  lines: readonly OrbKeyLine[],
  store: OrbKeyStore,
  isDryRun: boolean,
): Promise<LineOutcome[]> {
  const last = new Map<string, Promise<LineOutcome>>();
  const all = lines.map(({ orbId, rows }) => {
    const previous = last.get(orbId);
    const outcome = (async (): Promise<LineOutcome> => {
      await previous;
      return lineOutcome(await store.add(rows, MAX_ACTIVE_ORB_KEYS, isDryRun));
    })();
    last.set(orbId, outcome);
    return outcome;
  });
  return await Promise.all(all);
}

function lineOutcome(added: number | 'too_many'): LineOutcome {
  if (added === 'too_many') {
    return new LineRefused('too_many_keys', `keys: an orb has at most ${MAX_ACTIVE_ORB_KEYS} active keys`);
  }
  return added > 0 ? 'added' : 'unchanged';
}
