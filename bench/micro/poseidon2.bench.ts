import { loadBuilds } from '../contenders/proofgate.ts';
import type { Case } from '../report/types.ts';
import type { Suite } from '../suite.ts';
import { assertSame, entriesOf, timeGroup } from './hash-cases.ts';
import { fieldElements } from './inputs.ts';

const WIDTHS = [3, 8, 16] as const;
const BATCHES = [1, 64] as const;

/** Poseidon2 permutations through the backends, one by one and 64 in a call. */
export const poseidon2: Suite = {
  name: 'poseidon2',
  async run({ budget, say }) {
    const builds = await loadBuilds();
    const cases: Case[] = [];
    for (const width of WIDTHS) {
      for (const batch of BATCHES) {
        const states = fieldElements(`poseidon2:${width}`, width * batch);
        const answers = builds.map((build) => {
          build.before?.();
          return { name: build.name, answer: build.module.poseidon2(width, states) };
        });
        assertSame(`poseidon2 width ${width}`, answers);
        const entries = entriesOf(builds, batch, (build) => () => void build.module.poseidon2(width, states));
        cases.push(...(await timeGroup('poseidon2', { t: width, batch }, entries, budget)));
      }
    }
    say(`${builds.length} builds agree on Poseidon2 of widths ${WIDTHS.join(', ')}`);
    return cases;
  },
};
