import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startCountdown } from '../../../src/client/signin/sign-in-view.ts';
import { formatTimeLeft } from '../../../src/text.ts';

describe('the time that is left', () => {
  it.each([
    [300, '5:00'],
    [61, '1:01'],
    [59.2, '1:00'],
    [9, '0:09'],
    [0, '0:00'],
    [-3, '0:00'],
  ])('of %s seconds is written %s', (seconds, text) => {
    expect(formatTimeLeft(seconds)).toBe(text);
  });
});

describe('the countdown', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const place = (): HTMLElement => ({ textContent: '' }) as HTMLElement;

  it('shows each second, and reports the end once', () => {
    const node = place();
    const onEnd = vi.fn();
    startCountdown(node, 3, onEnd);
    vi.advanceTimersByTime(1000);
    expect(node.textContent).toBe('0:02');
    vi.advanceTimersByTime(10_000);
    expect(node.textContent).toBe('0:00');
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('adopts the time that the service reports, and reports the end again', () => {
    const node = place();
    const onEnd = vi.fn();
    const countdown = startCountdown(node, 1, onEnd);
    vi.advanceTimersByTime(2000);
    countdown.set(2);
    expect(node.textContent).toBe('0:02');
    expect(countdown.left()).toBe(2);
    vi.advanceTimersByTime(3000);
    expect(onEnd).toHaveBeenCalledTimes(2);
  });

  it('reports no end if it begins at zero', () => {
    const onEnd = vi.fn();
    startCountdown(place(), 0, onEnd);
    vi.advanceTimersByTime(5000);
    expect(onEnd).not.toHaveBeenCalled();
  });
});
