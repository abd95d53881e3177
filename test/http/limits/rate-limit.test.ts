// Rules: spec/operations.md#rate-limits
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { renderVerifyError } from '../../../src/http/errors/verify.ts';
import type { RateGuard } from '../../../src/http/exchange/exchange-types.ts';
import { Limits } from '../../../src/http/limits/limits.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openListener, testRoute } from '../../support/server/test-listener.ts';

function guardOf(perSecond: number, burst: number): RateGuard {
  const guard = new Limits().rateGuard('test', { perSecond, burst });
  if (guard === undefined) throw new Error('expected a guard');
  return guard;
}

describe('a rate guard', () => {
  it('is disabled at 0', () => {
    expect(new Limits().rateGuard('test', { perSecond: 0, burst: 10 })).toBeUndefined();
  });

  it('allows a burst, then refuses until the window ends', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const guard = guardOf(2, 6);
    for (let i = 0; i < 6; i++) {
      expect(guard.consume('203.0.113.1')).toEqual({
        isAllowed: true,
        retryAfterSeconds: 0,
        isFirstRefusal: false,
      });
    }
    vi.advanceTimersByTime(500);
    expect(guard.consume('203.0.113.1')).toEqual({
      isAllowed: false,
      retryAfterSeconds: 3,
      isFirstRefusal: true,
    });
    vi.advanceTimersByTime(2400);
    expect(guard.consume('203.0.113.1')).toEqual({
      isAllowed: false,
      retryAfterSeconds: 1,
      isFirstRefusal: false,
    });
    vi.advanceTimersByTime(100);
    expect(guard.consume('203.0.113.1')).toMatchObject({ isAllowed: true });
  });

  it('allows perSecond requests in a burst when burst is lower', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const guard = guardOf(3, 0);
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(guard.consume('203.0.113.1').isAllowed);
    expect(answers).toEqual([true, true, true, false]);
  });

  it('counts a request for as much as it says, and logs the first refusal only', () => {
    const guard = guardOf(0.001, 10);
    const take = (count: number): readonly boolean[] => {
      const { isAllowed, isFirstRefusal } = guard.consume('203.0.113.1', '', count);
      return [isAllowed, isFirstRefusal];
    };
    expect(take(7)).toEqual([true, false]);
    expect(take(4)).toEqual([false, true]);
    expect(take(4)).toEqual([false, false]);
    expect(guard.consume('203.0.113.2', '', 10).isAllowed).toBe(true);
    expect(guard.consume('203.0.113.2').isAllowed).toBe(false);
  });

  it('counts each IPv4 address and each IPv6 /64 separately', () => {
    const guard = guardOf(0.001, 1);
    const isAllowed = (address: string): boolean => guard.consume(address).isAllowed;
    expect(isAllowed('203.0.113.1')).toBe(true);
    expect(isAllowed('203.0.113.2')).toBe(true);
    expect(isAllowed('203.0.113.1')).toBe(false);
    expect(isAllowed('2001:db8:1:2::1')).toBe(true);
    expect(isAllowed('2001:db8:1:2:ffff::1')).toBe(false);
    expect(isAllowed('2001:db8:1:3::1')).toBe(true);
  });
});

describe('a guard of requests per minute', () => {
  it('is disabled at 0', () => {
    expect(new Limits().perMinute('test', 0)).toBeUndefined();
  });

  it('allows the given number in any minute, and counts subjects of an address separately', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const guard = new Limits().perMinute('test', 3);
    const isAllowed = (subject?: string): boolean | undefined =>
      guard?.consume('2001:db8::1', subject)?.isAllowed;
    expect([isAllowed(), isAllowed(), isAllowed(), isAllowed()]).toEqual([true, true, true, false]);
    expect(isAllowed('app_1')).toBe(true);
    vi.advanceTimersByTime(59_999);
    expect(isAllowed()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isAllowed()).toBe(true);
  });
});

describe('a guard of failures', () => {
  it('is disabled at 0', () => {
    expect(new Limits().failuresPerMinute('test', 0)).toBeUndefined();
  });

  it('refuses an address from its limit on, in checks and in counts, until the minute ends', () => {
    vi.useFakeTimers({ now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const guard = new Limits().failuresPerMinute('test', 2);
    for (let i = 0; i < 5; i++) expect(guard?.check('203.0.113.1').isAllowed).toBe(true);
    expect(guard?.count('203.0.113.1').isAllowed).toBe(true);
    expect(guard?.count('203.0.113.1').isAllowed).toBe(true);
    expect(guard?.check('203.0.113.1')).toEqual({
      isAllowed: false,
      retryAfterSeconds: 60,
      isFirstRefusal: true,
    });
    expect(guard?.count('203.0.113.1')).toMatchObject({ isAllowed: false, isFirstRefusal: false });
    expect(guard?.check('203.0.113.2').isAllowed).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(guard?.check('203.0.113.1').isAllowed).toBe(true);
  });

  it('takes back what it counted, never more than that', () => {
    const guard = new Limits().failuresPerMinute('test', 1);
    guard?.forgive('203.0.113.1');
    expect(guard?.count('203.0.113.1').isAllowed).toBe(true);
    guard?.forgive('203.0.113.1');
    guard?.forgive('203.0.113.1');
    expect(guard?.count('203.0.113.1').isAllowed).toBe(true);
    expect(guard?.count('203.0.113.1').isAllowed).toBe(false);
  });
});

describe('a route with a rate guard', () => {
  it('answers 429 with Retry-After, and logs only the first refusal', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    const rateGuard = guardOf(0.01, 1);
    const { port, records } = await openListener([
      testRoute('POST', '/t', () => ({ status: 200 }), { rateGuard, renderError: renderVerifyError }),
    ]);
    const text = requestText('POST /t', ['Content-Length: 0']);
    expect((await rawRequest(port, text)).status).toBe(200);
    const refused = await rawRequest(port, text);
    expect(refused.status).toBe(429);
    expect(headerOf(refused, 'retry-after')).toBe('100');
    expect(JSON.parse(refused.body.toString())).toEqual({
      success: false,
      code: 'rate_limit_exceeded',
      detail: 'Too many requests. Please try again later.',
      attribute: null,
    });
    await rawRequest(port, text);
    expect(records.map(({ status, isLogged }) => [status, isLogged])).toEqual([
      [200, true],
      [429, true],
      [429, false],
    ]);
  });

  it('answers 500 when a custom guard fails', async () => {
    const rateGuard: RateGuard = {
      consume() {
        throw new Error('broken');
      },
    };
    const { port } = await openListener([testRoute('GET', '/t', () => ({ status: 200 }), { rateGuard })]);
    expect((await rawRequest(port, requestText('GET /t'))).status).toBe(500);
  });
});
