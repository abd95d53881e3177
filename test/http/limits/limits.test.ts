// Rules: spec/operations.md#rate-limits
import { describe, expect, it } from 'vitest';
import { Limits } from '../../../src/http/limits/limits.ts';

const ADDRESS = '203.0.113.1';

describe('the limits of a service', () => {
  it('are shared by all threads that have their handle', () => {
    const first = new Limits();
    const second = new Limits(structuredClone(first.handle));
    const guards = [first, second].map((limits) => limits.perMinute('rateLimits.page', 3));
    const isAllowed = (index: number): boolean | undefined => guards[index]?.consume(ADDRESS).isAllowed;
    expect([0, 1, 0, 1, 0].map(isAllowed)).toEqual([true, true, true, false, false]);
    first.known('signInPages').add('page');
    expect(second.known('signInPages').has('page')).toBe(true);
    expect(second.known('bridgeIds').has('page')).toBe(false);
  });

  it('are apart from those of another service', () => {
    const guards = [new Limits(), new Limits()].map((limits) => limits.perMinute('rateLimits.page', 1));
    expect(guards.map((guard) => guard?.consume(ADDRESS).isAllowed)).toEqual([true, true]);
  });

  it('are counted apart for each name', () => {
    const limits = new Limits();
    expect(limits.failuresPerMinute('one', 1)?.count(ADDRESS).isAllowed).toBe(true);
    expect(limits.failuresPerMinute('other', 1)?.count(ADDRESS).isAllowed).toBe(true);
    expect(limits.failuresPerMinute('one', 1)?.count(ADDRESS).isAllowed).toBe(false);
  });
});
