import { describe, expect, it } from 'vitest';
import { ValueError } from '../../src/groth16/layout.ts';
import { writeNumber } from '../../src/groth16/numbers.ts';
import { be32, fromBe, P, R } from '../support/crypto/bn254.ts';

const CODES = { form: 'input.form', range: 'input.range' } as const;
const LARGEST = (1n << 256n) - 1n;

function read(value: unknown): bigint {
  const word = new Uint8Array(32);
  writeNumber(value, word, 'x', CODES);
  return fromBe(word);
}

describe('a number', () => {
  it.each([0n, 1n, 255n, 256n, 2n ** 53n - 1n, 2n ** 53n, R - 1n, R, P, LARGEST])(
    'is %s in every form',
    (value) => {
      const hex = value.toString(16);
      const forms: unknown[] = [
        value,
        String(value),
        `000${value}`,
        `0x${hex}`,
        `0X00${hex.toUpperCase()}`,
        be32(value),
      ];
      if (value < 2n ** 53n) forms.push(Number(value));
      expect(forms.map(read)).toEqual(forms.map(() => value));
    },
  );

  it('has up to 1,000 characters', () => {
    expect(read(`${'0'.repeat(922)}${LARGEST}`)).toBe(LARGEST);
    expect(read(`0x${'0'.repeat(997)}1`)).toBe(1n);
    expect(read('0'.repeat(1000))).toBe(0n);
    expect(read(-0)).toBe(0n);
    expect(() => read('0'.repeat(1001))).toThrow(expect.objectContaining({ code: 'input.range' }));
  });

  it.each([
    [LARGEST + 1n, 'input.range', 'at most 256 bits'],
    [
      String(LARGEST + 1n),
      'input.range',
      'at most 256 bits, got "1157920892373161954235709850086879078532…"',
    ],
    [`0x1${'0'.repeat(64)}`, 'input.range', 'at most 256 bits'],
    ['9'.repeat(1_000_000), 'input.range', 'at most 256 bits'],
    [-1n, 'input.range', 'from 0'],
    [-1, 'input.range', 'from 0, got -1'],
    ['-1', 'input.range', 'from 0, got "-1"'],
    [2 ** 53, 'input.form', 'as text, since a JSON number is not exact there, got 9007199254740992'],
    [1.5, 'input.form', 'whole number'],
    [Number.NaN, 'input.form', 'got NaN'],
    [Number.POSITIVE_INFINITY, 'input.form', 'got Infinity'],
    ['ff', 'input.form', 'got "ff", which lacks 0x'],
    ['', 'input.form', 'got ""'],
    ['0x', 'input.form', 'got "0x"'],
    [' 1', 'input.form', 'got " 1"'],
    ['+1', 'input.form', 'got "+1"'],
    ['1e3', 'input.form', 'got "1e3"'],
    ['1n', 'input.form', 'got "1n"'],
    ['0b1', 'input.form', 'got "0b1"'],
    ['١', 'input.form', 'got "١"'],
    ['１', 'input.form', 'got "１"'],
    [new Uint8Array(31), 'input.form', '32 bytes, got 31'],
    [true, 'input.form', 'got boolean'],
    [['1'], 'input.form', 'got an array'],
    [{}, 'input.form', 'got object'],
    [Symbol('1'), 'input.form', 'got symbol'],
  ])('is not %o', (value, code, message) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code, message: `x: ${messageOf(value)}` }));
    expect(messageOf(value)).toContain(message);
    expect(() => read(value)).toThrow(ValueError);
  });

  it.each([undefined, null])('is absent, which is no wrong value: %s', (value) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'input.form', isType: true }));
    expect(() => read(value)).not.toThrow(ValueError);
  });

  it('calls no method of a value', () => {
    const value = { toString: () => '1', valueOf: () => 1, [Symbol.toPrimitive]: () => '1' };
    expect(() => read(value)).toThrow(expect.objectContaining({ code: 'input.form', isType: true }));
  });
});

function messageOf(value: unknown): string {
  try {
    read(value);
    return '';
  } catch (error) {
    return (error as { expected: string }).expected;
  }
}
