import { describe, expect, it } from 'vitest';
import { LogRange } from '../../../src/chain/provider/provider.ts';

function open() {
  const clock = { now: 1_000_000 };
  return { clock, range: new LogRange(() => clock.now) };
}

describe('the range of a request for logs', () => {
  it('is the one wanted until one is refused, and half of that then', () => {
    const { range } = open();
    expect(range.sizeOf(2000)).toBe(2000);
    range.refused(2000);
    expect(range.sizeOf(2000)).toBe(1000);
    expect(range.sizeOf(30)).toBe(30);
    range.refused(1000);
    range.refused(500);
    range.refused(3);
    expect(range.acceptedBlocks).toBe(1);
  });

  it('is the one that the provider names, if that is smaller', () => {
    const { range } = open();
    range.refused(2000, 100);
    expect(range.acceptedBlocks).toBe(100);
    range.refused(100, 100);
    expect(range.acceptedBlocks).toBe(50);
    range.refused(50, 10_000);
    expect(range.acceptedBlocks).toBe(25);
  });

  it('grows by a quarter after each success, from ten minutes after the last refusal on', () => {
    const { clock, range } = open();
    range.refused(2000, 100);
    range.accepted(100);
    clock.now += 599_999;
    range.accepted(100);
    expect(range.acceptedBlocks).toBe(100);
    clock.now += 1;
    range.accepted(100);
    expect(range.acceptedBlocks).toBe(125);
    range.accepted(125);
    expect(range.acceptedBlocks).toBe(157);
    range.refused(157);
    range.accepted(78);
    expect(range.acceptedBlocks).toBe(78);
  });

  it('does not grow after the success of a smaller one', () => {
    const { clock, range } = open();
    range.refused(2000, 100);
    clock.now += 600_000;
    range.accepted(99);
    expect(range.acceptedBlocks).toBe(100);
  });
});

describe('requests for logs', () => {
  it('are at least 200 ms apart', () => {
    const { clock, range } = open();
    expect([range.reserveSlot(), range.reserveSlot(), range.reserveSlot()]).toEqual([0, 200, 400]);
    clock.now += 500;
    expect(range.reserveSlot()).toBe(100);
    clock.now += 10_000;
    expect(range.reserveSlot()).toBe(0);
  });
});
