import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../../src/http/exchange/cancellation.ts';

describe('a cancellation', () => {
  it('calls its listeners once, in the order of their registration', () => {
    const calls: string[] = [];
    const cancellation = new Cancellation();
    for (const name of ['a', 'b', 'c']) cancellation.addEventListener('abort', () => calls.push(name));
    expect(cancellation.aborted).toBe(false);
    cancellation.cancel();
    cancellation.cancel();
    expect(cancellation.aborted).toBe(true);
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  it('calls no listener that was added after it fired', () => {
    const calls: string[] = [];
    const cancellation = new Cancellation();
    cancellation.addEventListener('abort', () => calls.push('before'));
    cancellation.cancel();
    cancellation.addEventListener('abort', () => calls.push('after'));
    expect(calls).toEqual(['before']);
  });

  it('is already marked as aborted when its listeners run', () => {
    const seen: boolean[] = [];
    const cancellation = new Cancellation();
    cancellation.addEventListener('abort', () => seen.push(cancellation.aborted));
    cancellation.cancel();
    expect(seen).toEqual([true]);
  });
});
