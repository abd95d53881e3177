/** Why waiting or running work ends without an answer of its own. */
export type WorkRefusal =
  | 'engine.cancelled'
  | 'engine.poison'
  | 'engine.worker_failed'
  | 'internal.unforeseen';

// A batch that lost its thread runs once more; what loses a second one is taken apart.
const MAX_LOSSES = 2;

/** A batch that runs again, with the number of threads that were lost with it. */
export interface Repeat<I> {
  readonly items: readonly I[];
  readonly losses: number;
}

/**
 * What becomes of a batch that lost its thread: it runs again, then its members one by one, each of them twice at
 * most. An empty answer: it was one member alone, and is poison.
 *
 * @param losses - Threads that were lost with it before.
 */
export function afterLoss<I>(items: readonly I[], losses: number): Repeat<I>[] {
  if (losses + 1 < MAX_LOSSES) return [{ items, losses: losses + 1 }];
  return items.length === 1 ? [] : items.map((item) => ({ items: [item], losses: 0 }));
}
