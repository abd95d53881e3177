import { answerOf, loadBuildsFor, prepareBuild } from '../contenders/builds.ts';
import { loadProofSet } from '../contenders/proof-set.ts';
import { thin } from '../report/statistics.ts';
import type { Suite } from '../suite.ts';
import { batchesWithBad } from './groth16-batches.ts';
import { type Contestant, interleave } from './interleave.ts';

const SIZE = 64;
const SHARES = [0, 1, 10, 50, 100] as const;
const SAMPLES_KEPT = 200;

/** Batches of 64 with a share of false proofs that pass every cheap check: the cost of an attack. */
export const groth16Bad: Suite = {
  name: 'bad-share',
  async run({ budget, say }) {
    const set = loadProofSet();
    const builds = await loadBuildsFor(budget);
    const rows = builds.flatMap((build) => {
      const { verify } = prepareBuild(build, set.key);
      return SHARES.map((percent) => {
        const batches = batchesWithBad(set, percent, SIZE);
        const found = batches.map((bytes) =>
          [...verify(bytes)].filter((verdict) => answerOf(verdict) === false),
        );
        const bad = found.map((list) => list.length);
        const right = [Math.floor((SIZE * percent) / 100), Math.ceil((SIZE * percent) / 100)];
        if (bad.join() !== right.join())
          throw new Error(`${build.name}: expected ${right} bad proofs at ${percent} %, found ${bad}`);
        const contestant: Contestant = {
          name: `${build.name} ${percent}`,
          operations: SIZE * batches.length,
          ...(build.before ? { before: build.before } : {}),
          run: () => {
            for (const bytes of batches) verify(bytes);
          },
        };
        return { build, percent, contestant };
      });
    });
    say(`${builds.length} builds find the bad proofs of every share`);
    const samples = await interleave(
      rows.map(({ contestant }) => contestant),
      budget,
    );
    return rows.map(({ build, percent }, index) => ({
      subject: 'groth16.verify-bad',
      contender: build.name,
      parameters: { inputs: 4, batch: SIZE, bad_percent: percent },
      unit: 'us_per_op',
      isPeer: false,
      samples: thin(samples[index] ?? [], SAMPLES_KEPT),
    }));
  },
};
