// Rules: spec/operations.md#refusals-in-the-log
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { RequestRecord } from '../../../src/observability/log/request-record.ts';
import { capturedLog, RECORD as VERIFY_RECORD } from '../support/records.ts';

const RECORD: RequestRecord = { ...VERIFY_RECORD, route: '/t', status: 503 };

function refusal(code: 'http.unavailable' | 'engine.busy' = 'http.unavailable'): RequestRecord {
  return { ...RECORD, code, error: new ServiceError(code, 'too many') };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('refusals with 503', () => {
  it('have one line per cause and window, with their number and without a stack', () => {
    const { log, lines, text } = capturedLog();
    for (let n = 0; n < 5000; n++) log.request(refusal());
    expect(lines()).toMatchObject([
      { msg: 'request', level: 'error', count: 1, code: 'http.unavailable', requestId: RECORD.requestId },
    ]);
    vi.advanceTimersByTime(10_000);
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toMatchObject({
      msg: 'requests refused',
      listener: 'public',
      status: 503,
      count: 4999,
      err: { type: 'ServiceError', code: 'http.unavailable', message: 'too many' },
    });
    for (const line of lines()) expect(line.err).not.toHaveProperty('stack');
    expect(text().length).toBeLessThan(1500);
  });

  it('are logged immediately for another cause or after a quiet window', () => {
    const { log, lines } = capturedLog();
    log.request(refusal());
    log.request(refusal('engine.busy'));
    log.request({ ...refusal(), listener: 'admin' });
    expect(lines()).toHaveLength(3);
    vi.advanceTimersByTime(10_000);
    log.request(refusal());
    expect(lines()).toHaveLength(4);
  });

  it('have one line per window as long as they continue', () => {
    const { log, lines } = capturedLog();
    for (let second = 0; second < 60; second++) {
      for (let n = 0; n < 10; n++) log.request(refusal());
      vi.advanceTimersByTime(1000);
    }
    expect(lines().map(({ count }) => count)).toEqual([1, 99, 100, 100, 100, 100, 100]);
  });

  it('share a line by route when they have no code, as with probes', () => {
    const { log, lines } = capturedLog();
    for (let n = 0; n < 3; n++) log.request({ ...RECORD, route: '/healthz' });
    for (let n = 0; n < 3; n++) log.request({ ...RECORD, route: '/health/ready' });
    expect(lines().map(({ route }) => route)).toEqual(['/healthz', '/health/ready']);
  });

  it('are logged by a flush if they were not yet', () => {
    const { log, lines } = capturedLog();
    for (let n = 0; n < 3; n++) log.request(refusal());
    log.flush();
    log.flush();
    expect(lines().map(({ count }) => count)).toEqual([1, 2]);
  });
});

describe('refusals with 4xx', () => {
  const NOT_FOUND: RequestRecord = { ...RECORD, status: 404, code: 'http.not_found', clientKey: '192.0.2.1' };

  it('have a hundred lines per address and code, then one per window with their number and without the address', () => {
    const { log, lines, text } = capturedLog();
    for (let n = 0; n < 5000; n++) log.request(NOT_FOUND);
    expect(lines()).toHaveLength(100);
    vi.advanceTimersByTime(10_000);
    expect(lines()).toHaveLength(101);
    expect(lines()[100]).toMatchObject({
      msg: 'requests refused',
      level: 'info',
      listener: 'public',
      route: '/t',
      status: 404,
      code: 'http.not_found',
      count: 4900,
    });
    expect(lines()[0]).toMatchObject({ msg: 'request', requestId: RECORD.requestId });
    for (let n = 0; n < 40; n++) log.request(NOT_FOUND);
    vi.advanceTimersByTime(10_000);
    expect(lines()[101]).toMatchObject({ count: 40 });
    expect(JSON.stringify(lines())).not.toContain('192.0.2.1');
    expect(text().length).toBeLessThan(25_000);
  });

  it('of another address, another code or after a quiet window have lines of their own', () => {
    const { log, lines } = capturedLog();
    for (let n = 0; n < 110; n++) log.request(NOT_FOUND);
    log.request({ ...NOT_FOUND, clientKey: '192.0.2.2' });
    log.request({ ...NOT_FOUND, code: 'http.method_not_allowed' });
    expect(lines()).toHaveLength(102);
    vi.advanceTimersByTime(20_000);
    log.request(NOT_FOUND);
    expect(lines().slice(102)).toMatchObject([{ count: 10 }, { msg: 'request' }]);
  });

  it('of more than 1,000 addresses share the lines of those beyond', () => {
    const { log, lines } = capturedLog();
    for (let n = 0; n < 1200; n++) log.request({ ...NOT_FOUND, clientKey: `client ${n}` });
    expect(lines()).toHaveLength(1100);
    vi.advanceTimersByTime(10_000);
    expect(lines()[1100]).toMatchObject({ count: 100 });
  });

  it('of an address that is not known have a line each', () => {
    const { log, lines } = capturedLog();
    const { clientKey: _, ...unknown } = NOT_FOUND;
    for (let n = 0; n < 150; n++) log.request(unknown);
    expect(lines()).toHaveLength(150);
  });
});

describe('internal errors', () => {
  it('have one line each, with a stack once per call site and window', () => {
    vi.useRealTimers();
    const { log, lines } = capturedLog();
    const places = [(): Error => new Error('one'), (): Error => new TypeError('two')];
    for (let n = 0; n < 50; n++) {
      for (const error of places)
        log.request({ ...RECORD, status: 500, code: 'internal.unforeseen', error: error() });
      log.error('the sweep failed', { err: places[0]?.() });
    }
    expect(lines()).toHaveLength(150);
    const withStack = lines().filter(({ err }) => typeof err === 'object' && err !== null && 'stack' in err);
    expect(withStack.map(({ err }) => err)).toMatchObject([{ message: 'one' }, { message: 'two' }]);
  });
});

describe('a repeated warning', () => {
  it('is one line per cause and window', () => {
    const { log, lines } = capturedLog();
    for (let n = 0; n < 100; n++) log.repeated('a', 'connections ended', { reason: 'count' });
    log.repeated('b', 'connections ended', { reason: 'bytes' });
    vi.advanceTimersByTime(20_000);
    expect(lines()).toMatchObject([
      { level: 'warn', msg: 'connections ended', reason: 'count', count: 1 },
      { level: 'warn', reason: 'bytes', count: 1 },
      { level: 'warn', reason: 'count', count: 99 },
    ]);
  });
});
