import { describe, expect, it } from 'vitest';
import { type Semaphore4Statement, semaphoreSignals } from '../../../src/groth16/zkvm/semaphore4.ts';
import { refusalOf, SEMAPHORE4 } from './support/vectors.ts';

describe('semaphoreSignals', () => {
  it.each(SEMAPHORE4)('of a real proof of $name', ({ proof, publicSignals }) => {
    expect(semaphoreSignals(proof).map(String)).toEqual(publicSignals);
  });

  it.each(SEMAPHORE4)('of the same under the names of v3, $name', ({ proof, publicSignals }) => {
    const { merkleTreeRoot, nullifier: nullifierHash, message: signal, scope: externalNullifier } = proof;
    const v3 = { merkleTreeRoot, nullifierHash, signal, externalNullifier };
    expect(semaphoreSignals(v3).map(String)).toEqual(publicSignals);
  });

  it.each([
    ['a missing scope', { scope: undefined }, 'input.form', 'scope: '],
    ['a text', { message: 'Hello world' }, 'input.form', 'message: '],
    ['a negative number', { message: -1n }, 'input.range', 'message: '],
    ['a number of 257 bits', { merkleTreeRoot: 1n << 256n }, 'input.range', 'merkleTreeRoot: '],
  ])('refuses %s', (_name, change, code, message) => {
    const statement = { ...SEMAPHORE4[0]?.proof, ...change } as Semaphore4Statement;
    const refusal = refusalOf(() => semaphoreSignals(statement));
    expect(refusal?.code).toBe(code);
    expect(refusal?.message).toContain(message);
  });
});
