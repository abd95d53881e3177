import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Suite } from '../suite.ts';
import { startChild } from '../support/child.ts';
import type { NullifierProcess } from './processes/nullifier-process.ts';
import { inRounds } from './rounds.ts';

const CONCURRENCIES = [1, 8, 64, 512] as const;

/** Durable nullifier commits per second by the number of concurrent callers. */
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
      const results = await inRounds(
        CONCURRENCIES.map((concurrency) => () => child.call('run', { concurrency, plan })),
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
        figures: results[index]?.figures ?? {},
      }));
    } finally {
      await child.stop();
    }
  },
};
