// Rules: spec/engine.md#encoding
import { describe, expect, it } from 'vitest';
import { statementOf } from '../../src/engine/statement.ts';

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('a statement', () => {
  it.each([0, 1, 4, 17, 1024])('holds a copy of the proof and its %i inputs', (count) => {
    const [proof, inputs] = [filled(256, 1), filled(count * 32, 2)];
    const statement = statementOf(proof, inputs);
    const next = statementOf(filled(256, 3), filled(count * 32, 4));
    proof.fill(9);
    inputs.fill(9);
    expect(Buffer.from(statement)).toEqual(Buffer.concat([filled(256, 1), filled(count * 32, 2)]));
    expect(Buffer.from(next)).toEqual(Buffer.concat([filled(256, 3), filled(count * 32, 4)]));
  });
});
