import { toHex } from '../../semaphore/hex.ts';
import type { RootEventRow, RootLife } from '../../storage/index.ts';

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
