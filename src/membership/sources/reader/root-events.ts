import type { Block } from '../../../chain/index.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { Bytes32, RootEventRow, RootLife } from '../../../storage/index.ts';
import { wordOf } from './contracts.ts';

/** Position of the root that was current before the scan, in the block before it. */
export const FIRST_EVENT_INDEX = -1;

/** Returns the event for a root that was current before the scan. @param before - The block before the scan. */
export function firstEvent(before: Block, root: Bytes32): RootEventRow {
  return { ...refOf(before), logIndex: FIRST_EVENT_INDEX, root, at: timeOf(before) };
}

/** Returns number and hash of a block as they are stored. */
export function refOf({ number, hash }: Block): { block: number; blockHash: Bytes32 } {
  return { block: number, blockHash: wordOf(hash) };
}

/** Returns the time of a block in milliseconds since the epoch. */
export function timeOf({ time }: Block): number {
  return time * 1000;
}

/**
 * Derives the rows of the registry from changes in the order of the chain: a root lives from its last change to the change
 * after that. A root that was removed and came back has its later life only.
 *
 * @returns One life for each root, in the order in which they began; the last one is current.
 */
export function deriveRoots(events: readonly Pick<RootEventRow, 'root' | 'at'>[]): RootLife[] {
  const lives = new Map<string, RootLife>();
  for (const [index, { root, at }] of events.entries()) {
    const key = toHex(root);
    lives.delete(key);
    lives.set(key, { root, receivedAt: at, supersededAt: events[index + 1]?.at ?? null });
  }
  return [...lives.values()];
}
