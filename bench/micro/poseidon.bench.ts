import { buildPoseidon } from 'circomlibjs';
import { be32, fromBe } from '../../test/support/crypto/bn254.ts';
import { loadBuildsFor } from '../contenders/builds.ts';
import type { Suite } from '../suite.ts';
import { assertSame, entriesOf, timeGroup } from './hash-cases.ts';
import { fieldElements } from './inputs.ts';

/** circomlib's Poseidon of two elements, against circomlibjs with inputs in its own representation. */
export const poseidon: Suite = {
  name: 'poseidon',
  async run({ budget, say }) {
    const builds = await loadBuildsFor(budget);
    const circomlib = await buildPoseidon();
    const inputs = fieldElements('poseidon', 2);
    const elements = [inputs.subarray(0, 32), inputs.subarray(32)].map((bytes) =>
      circomlib.F.e(fromBe(bytes)),
    );
    assertSame('poseidon', [
      { name: 'circomlibjs', answer: be32(circomlib.F.toObject(circomlib(elements))) },
      ...builds.map((build) => {
        build.before?.();
        return { name: build.name, answer: build.module.poseidon(inputs) };
      }),
    ]);
    say(`${builds.length} builds and circomlibjs agree on Poseidon`);
    const entries = [
      ...entriesOf(builds, 1, (build) => () => void build.module.poseidon(inputs)),
      { name: 'circomlibjs', isPeer: true, operations: 1, run: (): void => void circomlib(elements) },
    ];
    return timeGroup('poseidon', { inputs: 2, batch: 1 }, entries, budget);
  },
};
