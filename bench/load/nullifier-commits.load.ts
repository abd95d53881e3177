import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/statistics.ts';
import type { Suite } from '../suite.ts';
import { startChild } from '../support/child.ts';
import type { NullifierProcess } from './processes/nullifier-process.ts';
import { inRounds } from './rounds.ts';

const CONCURRENCIES = [1, 8, 64, 512] as const;

/**
 * Durable nullifier commits per second by the number of concurrent callers, and the processor time of the database thread
 * for each: on a machine with many cores it is what ends their number.
 */
export const nullifierCommits: Suite = {
  name: 'nullifiers',
  async run({ budget, folder, say }) {
    const child = startChild<NullifierProcess>(new URL('./processes/nullifier-process.ts', import.meta.url));
    const data = join(folder, 'nullifiers');
    mkdirSync(data, { mode: 0o700 });
    try {
      const { durability } = await child.call('start', { folder: data });
      say(`store: ${durability}`);
      const plan = { ...budget, windows: Math.ceil(budget.windows / 2) };
      const micros = CONCURRENCIES.map((): number[] => []);
      const results = await inRounds(
        CONCURRENCIES.map((concurrency, index) => async () => {
          const figures = await child.call('run', { concurrency, plan });
          micros[index]?.push(figures.databaseMicros);
          return figures;
        }),
        budget.loadRounds,
      );
      await child.call('close', null);
      return CONCURRENCIES.map((concurrency, index) => ({
        subject: 'nullifier.commit',
        contender: 'libsql',
        parameters: { concurrency },
        unit: 'ops_per_s',
        isPeer: false,
        samples: results[index]?.samples ?? [],
        figures: { ...results[index]?.figures, database_us_per_row: median(micros[index] ?? []) },
      }));
    } finally {
      await child.stop();
    }
  },
};
