import { median, thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { LoopFigures } from '../support/window-counter.ts';

/** Samples and figures of one run over all rounds, in the form of a case. */
export type LoadResult = Required<Pick<Case, 'samples' | 'figures'>>;

/**
 * Makes every run once per round, each round starting with another one, so that a change in the machine's
 * load affects all runs.
 */
export async function inRounds(
  runs: readonly (() => Promise<LoopFigures>)[],
  rounds: number,
): Promise<LoadResult[]> {
  const kept = runs.map((): LoopFigures[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < runs.length; step++) {
      const index = (round + step) % runs.length;
      const figures = await (runs[index] as () => Promise<LoopFigures>)();
      kept[index]?.push(figures);
    }
  }
  return kept.map((list) => ({
    samples: thin(
      list.flatMap((figures) => figures.rates),
      200,
    ),
    figures: {
      p50_ms: median(list.map((figures) => figures.p50Ms)),
      p99_ms: median(list.map((figures) => figures.p99Ms)),
    },
  }));
}
