// Rules: spec/operations.md#log-fields
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { LineBuffer } from '../../../src/observability/log/log.ts';
import { observeRequest } from '../../../src/observability/log/observe-request.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import { capturedLog, RECORD } from '../support/records.ts';

describe('the line of a request', () => {
  it('has id, pattern, method, status and duration', () => {
    const { log, lines } = capturedLog();
    log.request({ ...RECORD, traceId: '4bf92f3577b34da6a3ce929d0e0e4736', fields: { appId: 'app_1' } });
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        requestId: RECORD.requestId,
        listener: 'public',
        route: '/api/v4/verify/:rp_id',
        method: 'POST',
        status: 200,
        durationMs: 1.235,
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        appId: 'app_1',
        msg: 'request',
      },
    ]);
  });

  it('is info for 4xx and error with the cause for 5xx', () => {
    const { log, lines } = capturedLog();
    log.request({ ...RECORD, status: 400, code: 'verify.invalid_json' });
    const cause = Object.assign(new Error('disk full'), { code: 'ENOSPC' });
    const error = new ServiceError('store.unreachable', 'commit failed', {}, { cause });
    log.request({ ...RECORD, status: 503, code: 'store.unreachable', error });
    expect(lines()).toMatchObject([
      { level: 'info', status: 400, code: 'verify.invalid_json' },
      {
        level: 'error',
        status: 503,
        err: {
          type: 'ServiceError',
          code: 'store.unreachable',
          message: 'commit failed',
          cause: { type: 'Error', code: 'ENOSPC', message: 'disk full' },
        },
      },
    ]);
    expect(lines()[0]).not.toHaveProperty('err');
  });

  it('reports that the client disconnected', () => {
    const { log, lines } = capturedLog();
    log.request({ ...RECORD, status: 0, isAborted: true });
    expect(lines()).toMatchObject([{ level: 'info', status: 0, aborted: true }]);
  });

  it('is omitted for a refusal that was already logged in its window, which is still counted', async () => {
    const { log, lines } = capturedLog();
    const metrics = createMetrics();
    const observe = observeRequest(log, metrics);
    for (const isLogged of [true, false, false]) {
      observe({ ...RECORD, status: 429, code: 'http.rate_limited', isLogged });
    }
    observe({ ...RECORD, status: 0, isAborted: true });
    const text = await metrics.exposition();
    metrics.close();
    expect(lines()).toHaveLength(2);
    const route = '/api/v4/verify/:rp_id';
    expect(text).toContain(`proofgate_rate_limited_total{endpoint="${route}"} 3\n`);
    expect(text).toContain(`proofgate_errors_total{endpoint="${route}",code="http.rate_limited"} 3\n`);
    expect(text).toContain(`proofgate_http_aborted_total{route="${route}",method="POST"} 1\n`);
    expect(text).toContain(
      `proofgate_http_request_duration_seconds_count{route="${route}",method="POST",status="429"} 3\n`,
    );
  });
});

describe('the content of a log line', () => {
  const SECRET = 'planted-secret';

  it.each([
    'token',
    'proof',
    'nullifier',
    'authorization',
    'body',
    'headers',
    'anything',
    'secret',
    'sub',
    'idComm',
  ])('excludes the field %s', (name) => {
    const { log, text } = capturedLog();
    log.info('m', { [name]: SECRET });
    log.request({ ...RECORD, fields: { [name]: SECRET } });
    expect(text()).not.toContain(SECRET);
  });

  it('excludes objects under any name', () => {
    const { log, text } = capturedLog();
    log.info('m', { reason: { nested: SECRET }, itemCodes: [{ proof: SECRET }] });
    expect(text()).not.toContain(SECRET);
    log.info('m', { itemCodes: ['ok', 'invalid_proof'] });
    expect(text()).toContain('"itemCodes":["ok","invalid_proof"]');
  });

  it('excludes input that a parser quotes in its error', () => {
    const { log, text, lines } = capturedLog();
    const faults = [(): unknown => JSON.parse(`{"proof": ${SECRET}}`), (): unknown => BigInt(SECRET)];
    for (const fault of faults) {
      try {
        fault();
      } catch (cause) {
        log.error('m', { err: new ServiceError('internal.unforeseen', undefined, {}, { cause }) });
      }
    }
    expect(lines()).toHaveLength(2);
    expect(text()).not.toContain(SECRET);
    expect(text()).toContain('"type":"SyntaxError"');
  });

  it('excludes long hex and base64 in error messages, and includes call sites', () => {
    const { log, text, lines } = capturedLog();
    const nullifier = `0x${'1f'.repeat(32)}`;
    const token = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9';
    log.error('m', { err: new TypeError(`bad value ${nullifier} and ${token} here`) });
    expect(text()).not.toContain('1f1f1f1f');
    expect(text()).not.toContain(token);
    expect(lines()).toMatchObject([
      { err: { type: 'TypeError', message: 'bad value [removed] and [removed] here' } },
    ]);
    const { err } = lines()[0] as { err: { stack: string[] } };
    expect(err.stack[0]).toContain('log.test.ts');
  });

  it('may be any thrown value, even with a cycle of causes', () => {
    const { log, lines } = capturedLog();
    const loop = new Error('loop');
    loop.cause = loop;
    for (const err of ['text', undefined, null, 5, loop]) log.error('m', { err });
    expect(lines()).toHaveLength(5);
    expect(JSON.stringify(lines()[0])).not.toContain('text');
  });
});

describe('createLog', () => {
  it('writes lines of its level and above', () => {
    const { log, lines } = capturedLog({ level: 'warn' });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    log.fatal('e');
    log.flush();
    expect(lines().map(({ msg }) => msg)).toEqual(['c', 'd', 'e']);
  });

  it.each(['trace', 'info', 'warn', 'error', 'fatal', 'silent'])(
    'writes every record of the audit log at level %s, however many there are',
    (level) => {
      const { log, lines } = capturedLog({ level, access: 'off' });
      const fields = {
        event: 'audit.recorded',
        hash: 'a',
        actor: 'cli:root',
        action: 'app.created',
        target: 'app_1',
      };
      for (let seq = 1; seq <= 1000; seq++) log.audit({ seq, ...fields, secret: 'x' });
      expect(lines()).toHaveLength(1000);
      expect(lines().at(-1)).toEqual({
        level: 'info',
        time: expect.any(String),
        seq: 1000,
        ...fields,
        msg: 'audit',
      });
    },
  );
});

function buffered(): { lines: LineBuffer; writes: string[] } {
  const writes: string[] = [];
  return { lines: new LineBuffer({ write: (text) => writes.push(text) }), writes };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('buffered lines', () => {
  it('are written together ten milliseconds after the first one', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    vi.advanceTimersByTime(9);
    lines.writeSoon('b\n');
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(writes).toEqual(['a\nb\n']);
    lines.writeSoon('c\n');
    vi.advanceTimersByTime(10);
    expect(writes).toEqual(['a\nb\n', 'c\n']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are written before an unbuffered line, and by a flush', () => {
    const { lines, writes } = buffered();
    lines.writeSoon('a\n');
    lines.write('now\n');
    expect(writes).toEqual(['a\n', 'now\n']);
    lines.writeSoon('b\n');
    lines.flush();
    lines.flush();
    expect(writes).toEqual(['a\n', 'now\n', 'b\n']);
  });

  it('are written immediately when there are many', () => {
    const { lines, writes } = buffered();
    for (let count = 0; count < 200; count++) lines.writeSoon(`${'x'.repeat(99)}\n`);
    expect(writes).toHaveLength(1);
  });

  it('are written when the process exits', () => {
    const others = process.listeners('exit');
    const { lines, writes } = buffered();
    lines.writeSoon('last\n');
    // Not those of the tests that ran before in this process: they remove its temporary folders.
    const added = process.listeners('exit').filter((listener) => !others.includes(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) listener.call(process, 0);
    expect(writes).toEqual(['last\n']);
  });
});
