import { describe, expect, it } from 'vitest';
import { Fifo } from '../../../src/engine/queue/fifo.ts';

const all = (fifo: Fifo<number>): number[] => Array.from({ length: fifo.size }, () => fifo.shift() as number);

describe('Fifo', () => {
  it('returns its items oldest first, however often it is filled and emptied', () => {
    const fifo = new Fifo<number>();
    const expected: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      for (let count = 0; count < round % 37; count += 1) {
        fifo.push(round * 100 + count);
        expected.push(round * 100 + count);
      }
      expect(fifo.first).toBe(expected[0]);
      for (let count = 0; count < round % 31; count += 1) expect(fifo.shift()).toBe(expected.shift());
      expect(fifo.size).toBe(expected.length);
    }
    expect(all(fifo)).toEqual(expected);
    expect([fifo.size, fifo.first, fifo.shift(), fifo.size]).toEqual([0, undefined, undefined, 0]);
  });

  it('drops the items that a predicate rejects, and keeps the order', () => {
    const fifo = new Fifo<number>();
    for (let value = 0; value < 40; value += 1) fifo.push(value);
    for (let value = 0; value < 10; value += 1) fifo.shift();
    fifo.keep((value) => value % 3 === 0);
    expect(all(fifo)).toEqual([12, 15, 18, 21, 24, 27, 30, 33, 36, 39]);
  });
});
