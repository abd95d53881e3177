// A batch whose worker was lost runs once more as it is; if another worker is lost, its items run one by one.
const MAX_LOSSES = 2;

/** Items that run again, with the number of workers that were lost with them. */
export interface Retry<I> {
  readonly items: I[];
  readonly losses: number;
}

/**
 * Decides what becomes of a batch whose worker was lost: it runs again, then each of its items alone, twice at most.
 * Empty: it was a single item that has ended its workers, and is poison.
 *
 * @param losses - Workers that were lost with it before.
 */
export function retriesAfterLoss<I>(items: readonly I[], losses: number): Retry<I>[] {
  if (losses + 1 < MAX_LOSSES) return [{ items: [...items], losses: losses + 1 }];
  return items.length === 1 ? [] : items.map((item) => ({ items: [item], losses: 0 }));
}
