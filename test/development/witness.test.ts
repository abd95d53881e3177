import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { wtns } from 'snarkjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Poseidon } from '../../src/semaphore/hashes.ts';
import { commitmentOf, type Identity, nullifierHashOf } from '../../src/semaphore/identity.ts';
import { TREE_DEPTH } from '../../src/semaphore/merkle-tree.ts';
import { numberOf, SCALAR_ORDER, wordOf } from '../../src/semaphore/words.ts';
import { casesOf } from '../support/cases.ts';
import { useOneThreadCurves } from '../support/crypto/one-thread-curves.ts';
import { referencePoseidon } from '../support/crypto/reference-tree.ts';
import { type ConstraintSystem, isSatisfied, readConstraints } from './support/constraints.ts';
import {
  type CompiledCircuit,
  compiledCircuit,
  rootOf,
  type Witness,
  type WitnessInput,
  withWireMoved,
  witnessInput,
} from './support/witness.ts';

const RUNS = { numRuns: casesOf(15, 2) };
const scalar = fc.bigInt({ min: 0n, max: SCALAR_ORDER - 1n });
/** A nonzero difference that changes a scalar. */
const shift = fc.bigInt({ min: 1n, max: SCALAR_ORDER - 1n });
const level = fc.nat({ max: TREE_DEPTH - 1 });
const draft = fc.record({
  nullifier: scalar,
  trapdoor: scalar,
  index: fc.nat({ max: 2 ** TREE_DEPTH - 1 }),
  siblings: fc.array(scalar, { minLength: TREE_DEPTH, maxLength: TREE_DEPTH }),
  signalHash: scalar,
  externalNullifier: scalar,
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

const identityOf = ({ nullifier, trapdoor }: Draft): Identity => ({
  nullifier: wordOf(nullifier),
  trapdoor: wordOf(trapdoor),
});
const inputOf = (one: Draft): WitnessInput =>
  witnessInput(identityOf(one), one.index, one.siblings, one.signalHash, one.externalNullifier);
const replaced = <T>(list: readonly T[], at: number, value: T): T[] =>
  list.map((old, index) => (index === at ? value : old));
const moved = (value: bigint, by: bigint): bigint => (value + by) % SCALAR_ORDER;

describe('the circuit semaphore at depth 30', () => {
  useOneThreadCurves('bn128');
  let circuit: CompiledCircuit;
  let poseidon: Poseidon;
  beforeAll(async () => {
    circuit = await compiledCircuit();
    poseidon = await referencePoseidon();
  });

  const run = (input: WitnessInput): Promise<Witness> => circuit.witness(input);
  /** Computes the witnesses before and after a change of the input. */
  const compare = async (one: Draft, change: Partial<WitnessInput>): Promise<[Witness, Witness]> => {
    const input = inputOf(one);
    return [await run(input), await run({ ...input, ...change })];
  };

  it('computes root and nullifier hash as the formulas of src/semaphore do', async () => {
    await fc.assert(
      fc.asyncProperty(draft, async (one) => {
        const { signalHash, externalNullifier, index, siblings } = one;
        const commitment = await commitmentOf(identityOf(one), poseidon);
        const nullifier = await nullifierHashOf(identityOf(one), wordOf(externalNullifier), poseidon);
        expect(await run(inputOf(one))).toMatchObject({
          root: await rootOf(commitment, index, siblings, poseidon),
          nullifierHash: numberOf(nullifier),
          signalHash,
          externalNullifier,
        });
      }),
      RUNS,
    );
  });

  describe('after a change of one private input', () => {
    it('the identity nullifier changes the root and the nullifier hash', async () => {
      await fc.assert(
        fc.asyncProperty(draft, shift, async (one, by) => {
          const [before, after] = await compare(one, { identityNullifier: moved(one.nullifier, by) });
          expect(after.root).not.toBe(before.root);
          expect(after.nullifierHash).not.toBe(before.nullifierHash);
        }),
        RUNS,
      );
    });

    it('the identity trapdoor changes the root', async () => {
      await fc.assert(
        fc.asyncProperty(draft, shift, async (one, by) => {
          const [before, after] = await compare(one, { identityTrapdoor: moved(one.trapdoor, by) });
          expect(after.root).not.toBe(before.root);
          expect(after.nullifierHash).toBe(before.nullifierHash);
        }),
        RUNS,
      );
    });

    it('a path bit changes the root', async () => {
      await fc.assert(
        fc.asyncProperty(draft, level, async (one, at) => {
          const bits = inputOf(one).treePathIndices;
          const flipped = replaced(bits, at, 1n - (bits[at] as bigint));
          const [before, after] = await compare(one, { treePathIndices: flipped });
          expect(after.root).not.toBe(before.root);
        }),
        RUNS,
      );
    });

    it('a sibling changes the root', async () => {
      await fc.assert(
        fc.asyncProperty(draft, level, shift, async (one, at, by) => {
          const siblings = replaced(one.siblings, at, moved(one.siblings[at] as bigint, by));
          const [before, after] = await compare(one, { treeSiblings: siblings });
          expect(after.root).not.toBe(before.root);
        }),
        RUNS,
      );
    });
  });

  it('binds the nullifier hash to the external nullifier, and neither output to the signal', async () => {
    await fc.assert(
      fc.asyncProperty(draft, shift, async (one, by) => {
        const [before, other] = await compare(one, {
          externalNullifier: moved(one.externalNullifier, by),
        });
        expect(other.nullifierHash).not.toBe(before.nullifierHash);
        expect(other.root).toBe(before.root);
        const [, signalled] = await compare(one, { signalHash: moved(one.signalHash, by) });
        expect(signalled).toMatchObject({ root: before.root, nullifierHash: before.nullifierHash });
      }),
      RUNS,
    );
  });

  it('has no witness for a path bit that is neither 0 nor 1', async () => {
    await fc.assert(
      fc.asyncProperty(draft, level, fc.bigInt({ min: 2n, max: SCALAR_ORDER - 1n }), async (one, at, bit) => {
        const treePathIndices = replaced(inputOf(one).treePathIndices, at, bit);
        await expect(run({ ...inputOf(one), treePathIndices })).rejects.toThrow('Assert Failed');
      }),
      RUNS,
    );
  });

  describe('its constraints', () => {
    let system: ConstraintSystem;
    let witness: Witness;
    beforeAll(async () => {
      system = readConstraints(readFileSync(circuit.r1cs));
      const [one] = fc.sample(draft, { numRuns: 1, seed: 1 });
      witness = await run(inputOf(one as Draft));
    });

    it('are as many as the README says, with two outputs, two public and 62 private inputs', () => {
      expect(system).toMatchObject({ outputCount: 2, publicInputCount: 2, privateInputCount: 62 });
      expect(system.constraints).toHaveLength(7954);
      expect(system.wireCount).toBe(witness.wires().length);
    });

    it('hold for a witness, according to snarkjs and to plain arithmetic', async () => {
      expect(await wtns.check(circuit.r1cs, witness.file)).toBe(true);
      const wires = witness.wires();
      expect(system.constraints.every((one) => isSatisfied(one, wires))).toBe(true);
    });

    it('leave no wire free: a change of any wire breaks a constraint', () => {
      const touching = new Map<number, ConstraintSystem['constraints'][number][]>();
      for (const one of system.constraints) {
        for (const wire of new Set([one.a, one.b, one.c].flatMap((terms) => [...terms.keys()]))) {
          const list = touching.get(wire) ?? [];
          list.push(one);
          touching.set(wire, list);
        }
      }
      const wires = [...witness.wires()];
      const free: number[] = [];
      for (let wire = 1; wire < wires.length; wire++) {
        const value = wires[wire] as bigint;
        wires[wire] = moved(value, 1n);
        if ((touching.get(wire) ?? []).every((one) => isSatisfied(one, wires))) free.push(wire);
        wires[wire] = value;
      }
      expect(wires.length).toBeGreaterThan(7000);
      expect(free).toEqual([]);
    });

    it('reject a witness with one private wire changed, according to snarkjs', async () => {
      const firstPrivate = 1 + system.outputCount + system.publicInputCount;
      const quiet = {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: () => undefined,
      };
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: firstPrivate, max: system.wireCount - 1 }), async (wire) => {
          expect(await wtns.check(circuit.r1cs, withWireMoved(witness, wire), quiet)).toBe(false);
        }),
        { numRuns: casesOf(15, 1) },
      );
    });
  });
});
