// Rules: spec/engine.md#verdict-bytes
import { describe, expect, it } from 'vitest';
import { FALSE, VALID, verdictOfByte } from '../../src/engine/verdicts.ts';

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
