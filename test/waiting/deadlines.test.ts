import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines, Timed } from '../../src/waiting/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class Recorded extends Timed {
  readonly #onExpire: () => void;

  constructor(onExpire: () => void) {
    super();
    this.#onExpire = onExpire;
  }

  expire(): void {
    this.#onExpire();
  }
}

function recorder(): { expired: string[]; timed: (name: string, onExpire?: () => void) => Timed } {
  const expired: string[] = [];
  return {
    expired,
    timed: (name, onExpire) =>
      new Recorded(() => {
        expired.push(name);
        onExpire?.();
      }),
  };
}

describe('time limits of one length', () => {
  it('run out one after the other, each at its own time', () => {
    const { expired, timed } = recorder();
    const deadlines = new Deadlines(100);
    deadlines.add(timed('a'));
    vi.advanceTimersByTime(40);
    deadlines.add(timed('b'));
    vi.advanceTimersByTime(59);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(['a']);
    vi.advanceTimersByTime(39);
    expect(expired).toEqual(['a']);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(['a', 'b']);
  });

  it('do not run out for what was taken out', () => {
    const { expired, timed } = recorder();
    const deadlines = new Deadlines(100);
    const [a, b] = [timed('a'), timed('b')];
    deadlines.add(a);
    deadlines.add(b);
    deadlines.delete(a);
    deadlines.delete(a);
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual(['b']);
  });

  it('end in their order, whichever were taken out', () => {
    const { expired, timed } = recorder();
    const deadlines = new Deadlines(100);
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => timed(name));
    for (const each of all) {
      deadlines.add(each);
      vi.advanceTimersByTime(1);
    }
    // the first, one in the middle and the last
    for (const index of [0, 2, 5]) deadlines.delete(all[index] as Timed);
    const [again] = all;
    deadlines.add(again as Timed);
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual(['b', 'd', 'e', 'a']);
  });

  it('need one timer, however many they are, and none when nothing waits', () => {
    const { timed } = recorder();
    const deadlines = new Deadlines(100);
    const all = Array.from({ length: 50 }, (_, index) => timed(String(index)));
    for (const each of all) deadlines.add(each);
    expect(vi.getTimerCount()).toBe(1);
    for (const each of all) deadlines.delete(each);
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begin anew for what comes while others run out', () => {
    const { expired, timed } = recorder();
    const deadlines = new Deadlines(100);
    const later = timed('later');
    deadlines.add(timed('a', () => deadlines.add(later)));
    vi.advanceTimersByTime(50);
    deadlines.add(timed('b'));
    vi.advanceTimersByTime(50);
    expect(expired).toEqual(['a']);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(50);
    expect(expired).toEqual(['a', 'b']);
    vi.advanceTimersByTime(50);
    expect(expired).toEqual(['a', 'b', 'later']);
  });
});
