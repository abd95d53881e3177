import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { type CryptoModule, loadAddon, loadWasm, supportsArithmetic } from '../support/crypto-modules.ts';
import { CASE_CLASSES, type ProofCase, proofCases } from '../support/proof-cases.ts';
import { closeReference, referenceVerdict, snarkjsKey } from '../support/reference-verdict.ts';
import { trapdoor } from '../support/trapdoor.ts';

/** `CASES=100000` makes the run longer. */
const CASES = Number(process.env.CASES ?? 2000);
const BATCH = 64;

interface Subject {
  readonly name: string;
  verify(cases: readonly ProofCase[]): number[];
}

const key = await trapdoor();
const addon = loadAddon();

function subject(name: string, module: CryptoModule, arithmetic?: string): Subject {
  if (arithmetic) module.selectArithmetic(arithmetic);
  const handle = module.prepareKey(key.key);
  return {
    name,
    verify(cases) {
      if (arithmetic) module.selectArithmetic(arithmetic);
      return [
        ...module.verifyBatch(
          handle,
          Buffer.concat(cases.flatMap(({ proof, inputs }) => [proof, inputs])),
          randomBytes(32),
        ),
      ];
    },
  };
}

afterAll(closeReference);

describe('cross-check of all backends with snarkjs on known-trapdoor proofs', () => {
  const native = ['portable', 'adx'].map((name) => ({ name, isPresent: supportsArithmetic(addon, name) }));
  for (const { name } of native.filter(({ isPresent }) => !isPresent)) {
    it.skip(`native, ${name}: not available on this machine`, () => undefined);
  }

  it(
    `gives one verdict for each of ${CASES} cases in ${CASE_CLASSES.length} classes`,
    async () => {
      const subjects = [subject('wasm', await loadWasm())];
      for (const { name, isPresent } of native) {
        if (addon && isPresent) subjects.push(subject(`native ${name}`, addon, name));
      }
      const json = snarkjsKey(key.key);
      const disagreements: string[] = [];
      let batch: ProofCase[] = [];
      let index = 0;
      const flush = async (): Promise<void> => {
        const answers = subjects.map(({ verify }) => verify(batch));
        for (const [at, { name, proof, inputs, expected }] of batch.entries()) {
          const found = [
            ['reference', await referenceVerdict(json, proof, inputs)] as const,
            ...subjects.map((one, which) => [one.name, answers[which]?.[at]] as const),
          ].filter(
            ([who, verdict]) => verdict !== expected && !(who === 'reference' && verdict === undefined),
          );
          for (const [who, verdict] of found) {
            disagreements.push(`case ${index + at}, ${name}: ${who} gives ${verdict}, expected ${expected}`);
          }
        }
        index += batch.length;
        batch = [];
      };
      for await (const one of proofCases(key, CASES, 'cross-check')) {
        batch.push(one);
        if (batch.length === BATCH) await flush();
      }
      await flush();
      console.log(
        `cross-check: ${index} cases, ${subjects.map(({ name }) => name).join(', ')} and snarkjs: ${disagreements.length} disagreements`,
      );
      expect(disagreements).toEqual([]);
      expect(index).toBe(CASES);
    },
    120_000 + CASES * 150,
  );
});
