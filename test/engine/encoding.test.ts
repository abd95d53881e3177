// Rules: spec/engine.md#encoding
// Rules: spec/engine.md#verdict-bytes
import { describe, expect, it } from 'vitest';
import { FALSE, VALID, verdictOfByte } from '../../src/engine/encoding.ts';
import { statementOf } from '../../src/engine/proof-engine.ts';

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

describe('verdictOfByte', () => {
  it('is undefined for 0, the value of unwritten memory', () => {
    expect(verdictOfByte(0)).toBeUndefined();
  });

  it('is valid for 1, false for 2, and a refusal for 3 to 7', () => {
    expect([1, 2].map(verdictOfByte)).toEqual([VALID, FALSE]);
    for (const byte of [3, 4, 5, 6, 7])
      expect(verdictOfByte(byte)).toMatchObject({ ok: false, code: expect.any(String) });
  });

  it('is undefined for any other byte', () => {
    for (const byte of [8, 9, 255]) expect(verdictOfByte(byte)).toBeUndefined();
  });
});
