// Rules: spec/operations.md#tracing
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseProxy, proxyFinder } from '../../../src/config/values/proxy-rules.ts';
import { useProxies } from '../../../src/egress-proxies.ts';
import type { RequestRecord } from '../../../src/observability/log/request-record.ts';
import { createOtlpTracing } from '../../../src/observability/tracing/otlp-tracing.ts';
import { parseTraceparent, type Tracing } from '../../../src/observability/tracing/tracing.ts';
import { freePort } from '../../support/free-port.ts';
import { gate } from '../../support/gate.ts';
import { openOtlpReceiver } from '../../support/otlp-receiver.ts';
import { openProxy } from '../../support/server/egress-proxy.ts';
import { serveLocally } from '../../support/server/local-server.ts';
import { RECORD as VERIFY_RECORD } from '../support/records.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const RECORD: RequestRecord = { ...VERIFY_RECORD, requestId: 'request-1', route: '/token' };
const START = { method: 'POST', route: '/token', startedAt: 0, traceparent: undefined };

function tracingTo(
  endpoint: string,
  settings: { samplePercent?: number; timeoutMs?: number; onFailed?: (reason: string) => void } = {},
): Tracing {
  const tracing = createOtlpTracing({
    endpoint,
    samplePercent: 100,
    scheme: 'https',
    version: '1.2.3',
    intervalMs: 20,
    timeoutMs: 60_000,
    onFailed: () => undefined,
    ...settings,
  });
  onTestFinished(() => tracing.close());
  return tracing;
}

describe('parseTraceparent', () => {
  it('reads ids and whether the caller records', () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
    });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toMatchObject({ isSampled: false });
  });

  it.each([
    undefined,
    '',
    `01-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-x`,
  ])('takes %s as absent', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

/** Begins the span of a request that reached no handler, and ends it. */
function endRequest(tracing: Tracing, record: RequestRecord, traceparent: string | undefined): void {
  const { method, route } = record;
  tracing.startRequest({ method, route, startedAt: performance.now(), traceparent }).end(record);
}

describe('tracing', () => {
  it('continues the trace of the caller, and hangs work below its request', async () => {
    const receiver = await openOtlpReceiver();
    const tracing = tracingTo(receiver.endpoint);
    const startedAt = performance.now();
    const start = { ...START, startedAt, traceparent: `00-${TRACE}-${SPAN}-01` };
    const trace = tracing.startRequest(start);
    const work = trace.run(() => tracing.begin('engine.verify', { 'proofgate.key_id': 'k' }));
    // out here, as in a callback of another thread, nobody knows the request
    expect(tracing.begin('lost', {})).toBeUndefined();
    work?.end('ok');
    work?.within(() => tracing.begin('store.record_nullifier', {})?.end('new'));
    trace.end(RECORD);
    expect(trace.traceId).toBe(TRACE);
    await expect.poll(() => receiver.spans.length).toBe(3);
    const [verify, record, request] = receiver.spans;
    expect(request).toMatchObject({ name: 'POST /token', kind: 2, traceId: TRACE, parentSpanId: SPAN });
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/token',
      'http.response.status_code': 200,
      'url.scheme': 'https',
      'proofgate.request_id': 'request-1',
    });
    expect(Number(request?.startTimeUnixNano) / 1e6).toBeCloseTo(performance.timeOrigin + startedAt, 0);
    expect(verify).toMatchObject({ name: 'engine.verify', traceId: TRACE, parentSpanId: request?.spanId });
    expect(verify?.attributes).toEqual({ 'proofgate.key_id': 'k', 'proofgate.outcome': 'ok' });
    expect(record).toMatchObject({ name: 'store.record_nullifier', parentSpanId: request?.spanId });
    expect(receiver.resource).toMatchObject({ 'service.name': 'proofgate', 'service.version': '1.2.3' });
  });

  it('sends spans through the proxy of outgoing calls, and names it when it refuses', async () => {
    onTestFinished(() => useProxies(() => undefined));
    const receiver = await openOtlpReceiver();
    const proxy = await openProxy({
      names: { 'collector.example:4318': Number(new URL(receiver.endpoint).port) },
      credentials: 'alice:secret',
    });
    const http = parseProxy(`http://alice:secret@127.0.0.1:${proxy.port}`);
    useProxies(proxyFinder({ http, https: http, exceptions: [] }));
    endRequest(tracingTo('http://collector.example:4318'), RECORD, undefined);
    await expect.poll(() => receiver.spans.length).toBe(1);
    expect(proxy.seen).toEqual(['POST http://collector.example:4318/v1/traces']);

    const reason = gate<string>();
    endRequest(tracingTo('https://collector.example', { onFailed: reason.open }), RECORD, undefined);
    expect(await reason.promise).toBe(`the proxy http://127.0.0.1:${proxy.port} answered 502`);
  });

  it('begins a trace of its own without a caller, and records requests that reached no handler', async () => {
    const receiver = await openOtlpReceiver();
    const tracing = tracingTo(receiver.endpoint);
    endRequest(
      tracing,
      { ...RECORD, route: 'unmatched', method: 'other', status: 404, code: 'http.not_found' },
      'x',
    );
    endRequest(tracing, { ...RECORD, status: 503, code: 'store.unreachable' }, undefined);
    endRequest(tracing, { ...RECORD, status: 0, isAborted: true }, undefined);
    await expect.poll(() => receiver.spans.length).toBe(3);
    const [unknown, failed, aborted] = receiver.spans;
    expect(unknown).toMatchObject({ name: 'HTTP', status: { code: 0 } });
    expect(unknown?.parentSpanId).toBeUndefined();
    expect(unknown?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'proofgate.error_code': 'http.not_found',
    });
    expect(unknown?.attributes).not.toHaveProperty('http.route');
    expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'store.unreachable' } });
    expect(aborted).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'aborted' } });
    expect(aborted?.attributes).not.toHaveProperty('http.response.status_code');
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(3);
  });

  it('records nothing of a trace that its caller does not record, or that is not in the sample', async () => {
    const receiver = await openOtlpReceiver();
    const all = tracingTo(receiver.endpoint);
    const none = tracingTo(receiver.endpoint, { samplePercent: 0 });
    const trace = all.startRequest({ ...START, traceparent: `00-${TRACE}-${SPAN}-00` });
    trace.run(() => expect(all.begin('engine.verify', {})).toBeUndefined());
    trace.end(RECORD);
    endRequest(none, RECORD, undefined);
    endRequest(none, RECORD, `00-${TRACE}-${SPAN}-01`);
    endRequest(all, { ...RECORD, requestId: 'the last' }, undefined);
    await Promise.all([all.close(), none.close()]);
    expect(receiver.spans.map(({ attributes }) => attributes['proofgate.request_id'])).toEqual(['the last']);
  });

  it('keeps a bounded number of spans while the receiver does not answer, and drops the others', async () => {
    const receiver = await openOtlpReceiver(true);
    const tracing = tracingTo(receiver.endpoint);
    for (let index = 0; index < 10_000; index++) endRequest(tracing, RECORD, undefined);
    receiver.answer();
    await tracing.close();
    expect(receiver.spans.length).toBeGreaterThan(0);
    expect(receiver.spans.length).toBeLessThanOrEqual(2048 + 512);
  });

  it('reports spans that could not be delivered, and ends although nobody listens', async () => {
    const reasons: string[] = [];
    const tracing = tracingTo(`http://127.0.0.1:${await freePort()}`, {
      timeoutMs: 1000,
      onFailed: (reason) => reasons.push(reason),
    });
    endRequest(tracing, RECORD, undefined);
    await tracing.close();
    expect(reasons.join()).toMatch(/ECONNREFUSED|timed out|retry/i);
  });

  it('waits at its end for the deliveries that run when one has failed', async () => {
    const failed = gate<string>();
    let deliveries = 0;
    let answers = 0;
    const server = await serveLocally(async (_request, response) => {
      deliveries++;
      if (deliveries === 2) return void response.writeHead(400).end();
      await failed.promise;
      await nextTurn();
      answers++;
      response.writeHead(200).end();
    });
    onTestFinished(() => server.close());
    const tracing = tracingTo(server.origin, { onFailed: failed.open });
    // One batch is sent when it is full, and two at the end.
    for (let index = 0; index < 1200; index++) endRequest(tracing, RECORD, undefined);
    await tracing.close();
    expect([deliveries, answers]).toEqual([3, 2]);
  });
});
