// Rules: spec/worldid4.md#numbers
import { describe, expect, it } from 'vitest';
import { numberOf, writeDecimal, writeNumber } from '../../src/semaphore/words.ts';

const MAX = 2n ** 256n - 1n;

/** Reads a number at an offset, and expects that the bytes around it are unchanged. */
function numberIn(text: string): bigint | undefined {
  const target = new Uint8Array(96);
  target.fill(7, 0, 32);
  target.fill(9, 64);
  if (!writeNumber(text, target, 32)) return undefined;
  expect([...target.subarray(0, 32)].every((byte) => byte === 7)).toBe(true);
  expect([...target.subarray(64)].every((byte) => byte === 9)).toBe(true);
  return numberOf(target.subarray(32, 64));
}

describe('a number in text', () => {
  it.each<readonly [string, bigint]>([
    ['0', 0n],
    ['12', 12n],
    ['0x12', 0x12n],
    ['0XaB', 0xabn],
    ['0xABC', 0xabcn],
    ['0x0', 0n],
    [`0x${'0'.repeat(63)}1`, 1n],
    [`0x${'f'.repeat(64)}`, MAX],
    [String(MAX), MAX],
  ])('%s is read', (text, value) => {
    expect(numberIn(text)).toBe(value);
  });

  it.each([
    '',
    'ab',
    '0x',
    '0X',
    '0xg',
    '01',
    '00',
    '+1',
    '-1',
    '1.0',
    '1e3',
    '0b1',
    '0o7',
    'x1',
    ' 1',
    '1 ',
    '0x 1',
    '0x1 ',
    '\u00001',
    '\u0661',
    '0x\u0661',
    '0\u01781',
    String(MAX + 1n),
    '9'.repeat(78),
    '9'.repeat(100_000),
    `0x${'0'.repeat(65)}`,
    `0x${'f'.repeat(65)}`,
  ])('%j is none', (text) => {
    expect(numberIn(text)).toBeUndefined();
  });

  it('in decimal ends where it is told, by default at the end', () => {
    const target = new Uint8Array(4);
    expect(writeDecimal('258', target)).toBe(true);
    expect(writeDecimal('3', target, 2)).toBe(true);
    expect([...target]).toEqual([0, 3, 1, 2]);
    expect(writeDecimal('4294967296', new Uint8Array(4))).toBe(false);
  });
});
