/** Order and division of a group of nullifiers (spec/verification.md#nullifier-record). */
import { describe, expect, it } from 'vitest';
import {
  distinctRows,
  type NullifierEntry,
  type NullifierRow,
  nullifierKey,
  toBatches,
  toRow,
} from '../../../src/storage/nullifiers/nullifier-rows.ts';

let requests = 0;

/** An entry whose nullifier ends in a number. */
function entry(last: number, change: Partial<NullifierEntry> = {}): NullifierEntry {
  const nullifier = new Uint8Array(32);
  new DataView(nullifier.buffer).setUint32(28, last);
  return {
    environment: 'production',
    nullifier,
    createdAt: 1_700_000_000_000,
    appId: 'app_a',
    action: 'vote',
    actionDescription: '',
    requestId: `request-${++requests}`,
    ...change,
  };
}

const numberOf = ({ nullifier }: NullifierRow): number =>
  new DataView(nullifier.buffer, nullifier.byteOffset).getUint32(28);

describe('an entry that joins a group', () => {
  it('is a copy, so that its sender may change the bytes', () => {
    const sent = entry(7);
    const row = toRow(sent);
    sent.nullifier.fill(0xff);
    expect(numberOf(row)).toBe(7);
  });

  it.each<[string, Partial<NullifierEntry>]>([
    ['an unknown environment', { environment: 'test' as NullifierEntry['environment'] }],
    ['31 bytes', { nullifier: new Uint8Array(31) }],
    ['a time that is no whole number', { createdAt: 1.5 }],
    ['an action that is no text', { action: 1 as unknown as string }],
    ['an unpaired surrogate', { action: '\ud800' }],
    ['a NUL character', { requestId: 'a\0b' }],
  ])('is refused alone for %s', (_name, change) => {
    expect(() => toRow(entry(1, change))).toThrow(expect.objectContaining({ code: 'store.invalid_value' }));
  });
});

describe('the distinct rows of a group', () => {
  it('are in the order of their nullifiers, and the first to arrive stands for its repeats', () => {
    const rows = [entry(3), entry(1), entry(3), entry(2), entry(1), entry(3)].map(toRow);
    const { sorted, repeats } = distinctRows(rows);
    expect(sorted).toEqual([rows[1], rows[3], rows[0]]);
    expect([...repeats]).toEqual([
      [rows[4], rows[1]],
      [rows[2], rows[0]],
      [rows[5], rows[0]],
    ]);
  });

  it('differ in any byte of the nullifier, and in the environment', () => {
    const first = new Uint8Array(32);
    const rows = Array.from({ length: 32 }, (_, at) => {
      const nullifier = Uint8Array.from(first);
      nullifier[at] = 1;
      return toRow(entry(0, { nullifier }));
    });
    const staging = toRow(entry(0, { environment: 'staging' }));
    const { sorted, repeats } = distinctRows([...rows, toRow(entry(0)), staging]);
    expect(sorted).toHaveLength(34);
    expect(repeats.size).toBe(0);
    const keys = sorted.map(({ environment, nullifier }) => nullifierKey(environment, nullifier));
    expect(new Set(keys).size).toBe(34);
  });

  it('are ordered by place before nullifier, in whatever order they arrive', () => {
    const places: Partial<NullifierEntry>[] = [
      { environment: 'staging' },
      { appId: 'app_b', action: 'a' },
      { action: 'apply' },
      {},
    ];
    const rows = places.map((place, index) => toRow(entry(index, place)));
    const expected = [2, 3, 1, 0].map((index) => rows[index]);
    expect(distinctRows(rows).sorted).toEqual(expected);
    expect(distinctRows(rows.toReversed()).sorted).toEqual(expected);
  });
});

describe('the statements of a group', () => {
  const sorted = (count: number, change?: Partial<NullifierEntry>) =>
    Array.from({ length: count }, (_, index) => toRow(entry(index, change)));

  it.each([
    [1, [1]],
    [63, [32, 16, 8, 4, 2, 1]],
    [64, [64]],
    [200, [64, 64, 64, 8]],
  ])('for %i rows of one action have powers of two', (count, sizes) => {
    const rows = sorted(count);
    const batches = toBatches(rows, 64);
    expect(batches.map(({ length }) => length)).toEqual(sizes);
    expect(batches.flat()).toEqual(rows);
  });

  it('have one environment, app and action each', () => {
    const rows = [...sorted(3), ...sorted(2, { action: 'wave' }), ...sorted(1, { environment: 'staging' })];
    expect(toBatches(rows, 64).map(({ length }) => length)).toEqual([2, 1, 2, 1]);
  });

  it.each([
    [1, [1]],
    [31, [31]],
    [32, [32]],
    [33, [32, 1]],
  ])('for %i rows are one where the engine takes up to 32 of any number', (count, sizes) => {
    expect(toBatches(sorted(count), 512, 32).map(({ length }) => length)).toEqual(sizes);
  });

  it('have at most as many rows as the engine takes', () => {
    expect(toBatches(sorted(600), 512).map(({ length }) => length)).toEqual([512, 64, 16, 8]);
  });

  it('have a row id of their own, also under one request id', () => {
    const rows = sorted(100, { requestId: 'same' });
    expect(new Set(rows.map(({ rowId }) => rowId)).size).toBe(100);
  });
});
