/** Replays a scripted chain into the lives of its roots, without any code of the source. */
import type { ChainSource } from '../../../../src/config/roots/source-types.ts';
import type { ScriptedBlock, ScriptedLog } from '../../../support/chain/scripted-chain.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';

/** A life of a root that the registry must have: times in seconds since the epoch. */
export interface ExpectedLife {
  readonly root: string;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
}

/** Root of an identity manager before its first change. */
export const FIRST_ROOT = 1000n;

/**
 * Returns the lives of the roots that a contract had since the block before a scan, sorted by root.
 *
 * @param blocks - From the first block of the chain to the last one that counts.
 */
export function livesOf(
  blocks: readonly ScriptedBlock[],
  kind: ChainSource['kind'],
  scanFrom: number,
): ExpectedLife[] {
  let before = kind === 'identity-manager' ? hexWords(FIRST_ROOT) : undefined;
  const changes: { readonly root: string; readonly time: number }[] = [];
  for (const block of blocks) {
    const { number, time } = block;
    if (number < scanFrom) before = rootsOf(kind, block).at(-1) ?? before;
    // That root counts since the parent of the first block.
    if (number === scanFrom - 1 && before !== undefined) changes.push({ root: before, time });
    if (number < scanFrom) continue;
    for (const root of rootsOf(kind, block)) if (root !== changes.at(-1)?.root) changes.push({ root, time });
  }
  const lives = new Map<string, ExpectedLife>();
  changes.forEach(({ root, time }, index) => {
    lives.set(root, { root, receivedAt: time, supersededAt: changes[index + 1]?.time ?? null });
  });
  return [...lives.values()].sort(livesBy);
}

/** Order of lives by their roots. */
export function livesBy(one: ExpectedLife, other: ExpectedLife): number {
  return one.root < other.root ? -1 : 1;
}

/** Returns the roots that a block changes to, in their order. */
function rootsOf(kind: ChainSource['kind'], { logs }: ScriptedBlock): string[] {
  return logs.flatMap((log) => rootOf(kind, log) ?? []);
}

function rootOf(kind: ChainSource['kind'], { topics, data }: ScriptedLog): string | undefined {
  if (kind === 'identity-manager') return topics[3];
  return kind === 'bridged' ? data.slice(0, 66) : topics[1];
}
