// Rules: spec/operations.md#values
import { describe, expect, it } from 'vitest';
import { bind } from '../../../src/storage/drivers/bind.ts';
import type { SqlValue } from '../../../src/storage/drivers/driver.ts';
import { placeholderOrder } from '../../../src/storage/drivers/placeholder-order.ts';

describe('placeholderOrder', () => {
  it('returns the numbers in the order of their first appearance', () => {
    expect(placeholderOrder('select 1')).toEqual([]);
    expect(placeholderOrder('select $1, $2, $1')).toEqual([1, 2]);
    expect(placeholderOrder('update t set a = $2, b = $3 where c = $1 and d > $2')).toEqual([2, 3, 1]);
  });

  it('finds a gap', () => {
    expect(placeholderOrder('select $1, $3')).toBeUndefined();
    expect(placeholderOrder('select $0')).toBeUndefined();
  });
});

describe('bind', () => {
  const bindOne = (value: unknown): SqlValue[] => bind({ sql: 'select $1', params: [value as SqlValue] });

  it('accepts text, numbers, big integers, bytes and null', () => {
    for (const value of ['', 'ä👋', 0, -1, 1.5, Number.MAX_SAFE_INTEGER, 1e300 / 3e299, 5n, null]) {
      expect(bindOne(value)).toEqual([value]);
    }
    expect(bindOne(new Uint8Array([0, 255]))).toEqual([new Uint8Array([0, 255])]);
  });

  it.each([
    ['boolean', true],
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['infinity', Number.NEGATIVE_INFINITY],
    ['a whole number beyond 2^53', 2 ** 53],
    ['a big integer beyond 2^53', 2n ** 64n - 1n],
    ['text with U+0000', 'a\0'],
    ['text with an unpaired surrogate', 'a\udc00'],
    ['an object', {}],
    ['a date', new Date(0)],
    ['an ArrayBuffer', new ArrayBuffer(1)],
    ['a symbol', Symbol('x')],
  ])('refuses %s', (_name, value) => {
    expect(() => bindOne(value)).toThrow(expect.objectContaining({ code: 'store.invalid_value' }));
  });

  it('refuses a hole in the list of values', () => {
    const params: SqlValue[] = [];
    params[1] = 1;
    expect(() => bind({ sql: 'select $1, $2', params })).toThrow(/value \$1/);
  });

  it('accepts exactly as many values as there are placeholders', () => {
    expect(bind({ sql: 'select $1, $1', params: [1] })).toEqual([1]);
    for (const params of [[], [1, 2]]) {
      expect(() => bind({ sql: 'select $1', params })).toThrow(/expected 1 values, got/);
    }
  });

  it.each(['select $1, $3', 'select $0'])('refuses the placeholders of %s', (sql) => {
    const refusal = { code: 'store.failed', message: expect.stringMatching(/placeholders must be \$1 to/) };
    expect(() => bind({ sql, params: [1, 2] })).toThrow(expect.objectContaining(refusal));
  });

  it('never puts a value into its message', () => {
    expect(() => bind({ sql: 'select $1', params: ['secret\0'] })).toThrow(/^(?!.*secret)/s);
  });

  it('copies the bytes of a view without the rest of its buffer', () => {
    const around = Buffer.from('secret-7-secret');
    const view = around.subarray(7, 8);
    const [copy] = bindOne(view) as [Uint8Array];
    view.fill(0);
    expect([...copy]).toEqual([0x37]);
    expect(copy.buffer.byteLength).toBe(1);
  });
});
