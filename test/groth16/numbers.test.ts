import { describe, expect, it } from 'vitest';
import { WORD_BYTES } from '../../src/groth16/layout.ts';
import { writeNumber } from '../../src/groth16/numbers.ts';
import { be32, P, R } from '../support/crypto/bn254.ts';
import { refusalOf } from '../support/forms/refusal.ts';

describe('writeNumber', () => {
  const CODES = { form: 'input.form', range: 'input.range' } as const;
  const write = (value: unknown): Uint8Array => {
    const word = new Uint8Array(WORD_BYTES);
    writeNumber(value, word, 'x', CODES);
    return word;
  };

  it.each([0n, 1n, 255n, 256n, 2n ** 53n - 1n, R - 1n, R, P, 2n ** 256n - 1n])(
    'writes %s in every form',
    (value) => {
      const expected = Uint8Array.from(be32(value));
      expect(write(value)).toEqual(expected);
      expect(write(String(value))).toEqual(expected);
      expect(write(expected)).toEqual(expected);
      if (value < 2n ** 53n) expect(write(Number(value))).toEqual(expected);
    },
  );

  it.each([-1n, -1, '-1', 2n ** 256n, String(2n ** 256n), `0x1${'0'.repeat(64)}`, '9'.repeat(10_000)])(
    'refuses %s as out of range',
    (value) => {
      expect(refusalOf(() => write(value))).toEqual({ code: 'input.range', isType: false, path: 'x' });
    },
  );

  it.each<[string, bigint]>([
    ['01', 1n],
    ['00', 0n],
    ['0x1F', 31n],
    ['0X0f', 15n],
    [`0x${'0'.repeat(70)}1`, 1n],
    [`${'0'.repeat(500)}${2n ** 256n - 1n}`, 2n ** 256n - 1n],
  ])('reads %s', (value, expected) => {
    expect(write(value)).toEqual(Uint8Array.from(be32(expected)));
  });

  it('quotes what was found, shortened', () => {
    expect(() => write('ff')).toThrow(
      'x: expected decimal digits, or 0x and hex digits, got "ff", which lacks 0x',
    );
    expect(() => write('z'.repeat(500))).toThrow(`got "${'z'.repeat(40)}…"`);
    expect(() => write(2 ** 60)).toThrow('got 1152921504606847000');
  });

  it.each(['', ' 1', '1 ', '+1', '0x', '0b1', 'ff', '1n', '1.0', '1e3', '١'])(
    'refuses the text "%s"',
    (value) => {
      expect(refusalOf(() => write(value))).toEqual({ code: 'input.form', isType: false, path: 'x' });
    },
  );

  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the number %s', (value) => {
    expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: false });
  });

  it.each([[new Uint8Array(31)], [new Uint8Array(33)], [new Uint8Array(0)]])(
    'refuses %s, which is no word',
    (value) => {
      expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: false });
    },
  );

  it.each([[undefined], [null], [true], [{}], [['1']], [Symbol('1')], [() => 1]])(
    'refuses the type of %o',
    (value) => {
      expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: true });
    },
  );
});
