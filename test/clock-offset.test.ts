import { describe, expect, it } from 'vitest';
import { clockOffset } from '../src/clock-offset.ts';

describe('the offset of a clock', () => {
  it.each([
    ['a call that takes no time', 1000, 0, 1000, false],
    ['a call that takes no time, and more than the limit', 1001, 0, 1001, true],
    ['a clock that is behind', -1001, 0, -1001, true],
    ['a slow call that explains it', 0, 4000, 2000, false],
    ['a slow call, and at the limit with its time', 1000, 4000, 3000, false],
    ['a slow call that does not explain it', 1001, 4000, 3001, true],
  ])('of %s', async (_name, aheadMs, tookMs, offsetMs, isMore) => {
    let now = 50_000 + aheadMs;
    const found = await clockOffset(
      () => now,
      async () => {
        now += tookMs;
        return 50_000;
      },
    );
    expect([found.offsetMs, found.exceeds(1000)]).toEqual([offsetMs, isMore]);
  });
});
