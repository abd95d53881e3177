import { be32, fromBe } from '../../test/support/crypto/bn254.ts';
import { loadBuildsFor } from '../contenders/builds.ts';
import { poseidon2 as plainPoseidon2 } from '../contenders/poseidon2.ts';
import type { Case } from '../report/types.ts';
import type { Suite } from '../suite.ts';
import { assertSame, entriesOf, PLAIN, timeGroup, wordsOf } from './hash-cases.ts';
import { fieldElements } from './inputs.ts';

const WIDTHS = [3, 8, 16] as const;
const BATCHES = [1, 64] as const;

/** Poseidon2 permutations through the backends, 1 and 64 in a call, against plain JavaScript, 1 in a call. */
export const poseidon2: Suite = {
  name: 'poseidon2',
  async run({ budget, say }) {
    const builds = await loadBuildsFor(budget);
    const cases: Case[] = [];
    for (const width of WIDTHS) {
      for (const batch of BATCHES) {
        const states = fieldElements(`poseidon2:${width}`, width * batch);
        const elements = wordsOf(states).map(fromBe);
        const plainStates = Array.from({ length: batch }, (_, i) =>
          elements.slice(width * i, width * (i + 1)),
        );
        // The first call generates its constants, before the clock starts.
        const plainAnswer = Buffer.concat(plainStates.flatMap((state) => plainPoseidon2(state).map(be32)));
        assertSame(`poseidon2 width ${width}`, [
          { name: PLAIN, answer: plainAnswer },
          ...builds.map((build) => {
            build.before?.();
            return { name: build.name, answer: build.module.poseidon2(width, states) };
          }),
        ]);
        const entries = entriesOf(builds, batch, (build) => () => void build.module.poseidon2(width, states));
        const [first = []] = plainStates;
        const plain = {
          name: PLAIN,
          isPeer: true,
          operations: 1,
          run: (): void => void plainPoseidon2(first),
        };
        cases.push(
          ...(await timeGroup(
            'poseidon2',
            { t: width, batch },
            batch === 1 ? [...entries, plain] : entries,
            budget,
          )),
        );
      }
    }
    say(`${builds.length} builds and plain JavaScript agree on Poseidon2 of widths ${WIDTHS.join(', ')}`);
    return cases;
  },
};
