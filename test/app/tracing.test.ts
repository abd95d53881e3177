// Rules: spec/operations.md#tracing
import { describe, expect, it, onTestFinished } from 'vitest';
import { tracedEngine, tracedStore } from '../../src/app/parts/tracing.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Store } from '../../src/storage/store.ts';
import { freePort } from '../support/free-port.ts';
import { type OtlpReceiver, openOtlpReceiver } from '../support/otlp-receiver.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { bodyOf, itemOf, vector } from '../verification/support/vectors.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const entry = vector(0);

async function startTraced(endpoint: string): Promise<StartedApp> {
  const app = await startApp({ settings: { 'tracing.endpoint': endpoint } });
  onTestFinished(async () => void (await app.stop()));
  return app;
}

async function verify(app: StartedApp, body: unknown): Promise<number> {
  const answer = await fetch(`${app.publicUrl}/api/v4/verify/${entry.rp_id}?secret=in-the-query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', traceparent: `00-${TRACE}-${SPAN}-01` },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function spansAfter(app: StartedApp, receiver: OtlpReceiver): Promise<string[]> {
  await app.stop();
  return receiver.spans.map(({ name }) => name);
}

describe('a service with tracing', () => {
  it('delivers a request with its proofs and its commit, below the span of the caller', async () => {
    const receiver = await openOtlpReceiver();
    const app = await startTraced(receiver.endpoint);
    expect(await verify(app, bodyOf(entry))).toBe(200);
    expect(await verify(app, bodyOf(entry, { responses: [itemOf(entry, { nullifier: '0x1' })] }))).toBe(400);
    expect((await fetch(`${app.publicUrl}/unknown/path-with-a-secret`)).status).toBe(404);
    expect(app.log()).toContain(`"traceId":"${TRACE}"`);
    const route = 'POST /api/v4/verify/:rp_id';
    expect(await spansAfter(app, receiver)).toEqual([
      'engine.verify',
      'store.record_nullifier',
      route,
      'engine.verify',
      route,
      'GET',
    ]);
    const [proof, commit, request, falseProof, refused] = receiver.spans;
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: SPAN });
    for (const work of [proof, commit])
      expect(work).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId });
    expect(proof?.attributes['proofgate.outcome']).toBe('ok');
    expect(commit?.attributes['proofgate.outcome']).toBe('new');
    expect(falseProof?.attributes['proofgate.outcome']).toBe('false');
    expect(refused?.attributes['http.response.status_code']).toBe(400);
  });

  it('tells nothing of proofs, persons, paths and queries', async () => {
    const receiver = await openOtlpReceiver();
    const app = await startTraced(receiver.endpoint);
    await verify(app, bodyOf(entry));
    await fetch(`${app.publicUrl}/unknown/path-with-a-secret`);
    await fetch(`${app.publicUrl}/authorize/txn-with-a-secret/status?txn=secret`);
    await app.stop();
    const sent = receiver.bodies.join('\n');
    expect(sent).toContain('/authorize/:txn/status');
    const { nullifier_hash: nullifier, rp_id: rpId } = entry;
    const item = itemOf(entry) as { readonly proof: string; readonly merkle_root: string };
    for (const secret of [nullifier, item.proof, item.merkle_root, rpId, 'secret']) {
      expect(sent).not.toContain(String(secret).replace(/^0x/, ''));
    }
  });

  it('answers as before while nobody listens at the endpoint, and says that spans are lost', async () => {
    const app = await startTraced(`http://127.0.0.1:${await freePort()}`);
    expect(await verify(app, bodyOf(entry))).toBe(200);
    await app.stop();
    expect(app.log()).toContain('tracing.export_failed');
  });
});

it('a service without tracing has the engine and the store themselves', () => {
  const [engine, store] = [{} as Engine, {} as Store];
  expect(tracedEngine(engine, undefined)).toBe(engine);
  expect(tracedStore(store, undefined)).toBe(store);
});
