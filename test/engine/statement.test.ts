import { describe, expect, it } from 'vitest';
import { rowOf } from '../../src/engine/statement.ts';

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('rows in which proofs wait', () => {
  it.each([0, 1, 4, 17, 1024])('hold proof and %i inputs side by side, apart from their owner', (count) => {
    const [proof, inputs] = [filled(256, 1), filled(count * 32, 2)];
    const row = rowOf(proof, inputs);
    const next = rowOf(filled(256, 3), filled(count * 32, 4));
    proof.fill(9);
    inputs.fill(9);
    expect(Buffer.from(row)).toEqual(Buffer.concat([filled(256, 1), filled(count * 32, 2)]));
    expect(Buffer.from(next)).toEqual(Buffer.concat([filled(256, 3), filled(count * 32, 4)]));
  });
});
