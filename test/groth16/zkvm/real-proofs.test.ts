/** The real proofs hold under the keys of circuits/ for the signals of the helpers, and for no others. */
import { afterAll, describe, expect, it } from 'vitest';
import { risc0Signals } from '../../../src/groth16/zkvm/risc0.ts';
import { semaphoreSignals } from '../../../src/groth16/zkvm/semaphore4.ts';
import { sp1Signals, splitSp1Proof } from '../../../src/groth16/zkvm/sp1.ts';
import { groth16, type SnarkjsProof, terminate } from '../../../src/library/snarkjs.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import { snarkjsProof } from '../../library/support/semaphore-statement.ts';
import { bytesOf, RISC0, readJson, SEMAPHORE4, SP1 } from './support/vectors.ts';

interface Case {
  readonly name: string;
  readonly key: object;
  readonly proof: Uint8Array;
  readonly signals: readonly bigint[];
  readonly others: readonly bigint[];
}

const changed = (hex: string): string => `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`;

const CASES: readonly Case[] = [
  ...SP1.map((vector) => ({
    name: vector.name,
    key: readJson(vector.key) as object,
    proof: splitSp1Proof(vector.proof).proof,
    signals: sp1Signals(vector),
    others: sp1Signals({ ...vector, publicValues: changed(vector.publicValues) }),
  })),
  ...RISC0.map((vector) => ({
    name: vector.name,
    key: readJson(vector.key) as object,
    proof: bytesOf(vector.seal).slice(4),
    signals: risc0Signals({ imageId: vector.imageId, journal: vector.journal }, vector),
    others: risc0Signals({ imageId: vector.imageId, journal: changed(vector.journal) }, vector),
  })),
  ...SEMAPHORE4.map(({ name, key, proof }) => ({
    name,
    key,
    proof: new Uint8Array(Buffer.concat(proof.points.map((point) => wordOf(BigInt(point))))),
    signals: semaphoreSignals(proof),
    others: semaphoreSignals({ ...proof, message: BigInt(proof.message) + 1n }),
  })),
];

afterAll(terminate);

describe('a real proof', () => {
  it.each(CASES)('of $name holds for its statement alone', async ({ key, proof, signals, others }) => {
    const form = snarkjsProof(proof) as SnarkjsProof;
    expect(await groth16.verify(key, signals.map(String), form)).toBe(true);
    expect(await groth16.verify(key, others.map(String), form)).toBe(false);
  });
});
