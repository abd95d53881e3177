import type { OrbKeyStore } from '../../storage/index.ts';
import {
  type ImportResult,
  type ImportWatch,
  importLines,
  type LineOutcome,
  type RecordKind,
} from './import-lines.ts';
import { LineRefused } from './line-refused.ts';
import { type OrbKeyLine, parseOrbKeyLine } from './parse-orb-key-line.ts';

/** Active keys that an orb may have (spec/refresh.md#orb-keys). */
const MAX_ACTIVE_KEYS = 16;

/**
 * Imports keys of orbs from JSON Lines (spec/refresh.md#imports). Keys are added to what is there; a line
 * counts as added when at least one of its keys was new. A refused line adds none of its keys. The same lines
 * can be imported again.
 *
 * @param chunks - UTF-8, split anywhere.
 * @param now - Milliseconds since the epoch, when new keys were added.
 * @throws ServiceError `store.unreachable`; lines before it stay
 */
export async function importOrbKeys(
  chunks: AsyncIterable<Uint8Array | string>,
  store: OrbKeyStore,
  isDryRun: boolean,
  now: number,
  watch: ImportWatch,
): Promise<ImportResult> {
  const kind: RecordKind<OrbKeyLine> = {
    parse: (line) => parseOrbKeyLine(line, now),
    store: async (lines) => await addKeys(lines, store, isDryRun),
  };
  return await importLines(chunks, kind, watch);
}

/** Lines of one orb follow each other; those of different orbs share commits. */
async function addKeys(
  lines: readonly OrbKeyLine[],
  store: OrbKeyStore,
  isDryRun: boolean,
): Promise<LineOutcome[]> {
  const last = new Map<string, Promise<LineOutcome>>();
  const all = lines.map(({ orbId, rows }) => {
    const former = last.get(orbId);
    const outcome = (async (): Promise<LineOutcome> => {
      await former;
      return lineOutcome(await store.add(rows, MAX_ACTIVE_KEYS, isDryRun));
    })();
    last.set(orbId, outcome);
    return outcome;
  });
  return await Promise.all(all);
}

function lineOutcome(added: number | 'too_many'): LineOutcome {
  if (added === 'too_many') {
    return new LineRefused('too_many_keys', `keys: an orb has at most ${MAX_ACTIVE_KEYS} active keys`);
  }
  return added > 0 ? 'added' : 'unchanged';
}
