import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { verifyRoute } from '../../../src/http/routes/public/verify.ts';
import { gate } from '../../support/gate.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { openListener } from '../../support/server/test-listener.ts';
import { until } from '../../support/until.ts';
import { bodyOf, itemOf, vector } from '../support/vectors.ts';
import { APP_ID, createVerifierHarness } from '../support/verifier-harness.ts';
import { expectError, internalItem, post, REFUSED } from '../support/verify-client.ts';

const entry = vector(0);
const NOT_SAVED = { code: 'internal_error', detail: 'Failed to save nullifier.', app_id: APP_ID };
const RP_ID = entry.rp_id ?? '';

/** Starts the real listener and route over a harness that the test controls. */
async function serve(admit?: () => void) {
  const harness = createVerifierHarness();
  const { verifyRequest, metrics } = harness;
  const route = verifyRoute({
    basePath: '',
    verifyRequest,
    bodyLimitBytes: 262_144,
    metrics,
    ...(admit ? { admit } : {}),
  });
  const { port, records } = await openListener([route]);
  return { ...harness, port, records, url: `http://127.0.0.1:${port}` };
}

describe('POST /api/v4/verify when a part of the service fails', () => {
  it('availability: refuses before the body arrives when the store is known to be down', async () => {
    const { port } = await serve(() => {
      throw new ServiceError('http.unavailable');
    });
    const client = await RawClient.open(port);
    client.send(requestText(`POST /api/v4/verify/${RP_ID}`, ['Content-Length: 10']));
    expect((await client.response()).status).toBe(503);
    client.destroy();
  });

  it('lookup: answers 503 when the store fails while app or root is read', async () => {
    const { behaviour, url } = await serve();
    behaviour.root = () => Promise.reject(new ServiceError('store.unreachable'));
    expectError(await post(url, RP_ID, bodyOf(entry)), 503, REFUSED.unavailable);
    behaviour.findApp = () => Promise.reject(new ServiceError('store.unreachable'));
    expectError(await post(url, RP_ID, bodyOf(entry)), 503, REFUSED.unavailable);
  });

  it('answers pipelined requests in order whose bodies are refused', async () => {
    const { port } = await serve();
    const client = await RawClient.open(port);
    const floor = JSON.stringify(bodyOf(entry, { min_protocol_version: '4.0' }));
    const requests = ['{', '{}', floor].map((text) =>
      requestText(`POST /api/v4/verify/${RP_ID}`, [`Content-Length: ${text.length}`], text),
    );
    client.send(requests.join(''));
    for (const code of ['invalid_request', 'validation_error', 'protocol_version_not_allowed']) {
      expect(JSON.parse((await client.response()).body.toString())).toMatchObject({ code });
    }
    client.destroy();
  });

  it('queue-room: refuses when the queue cannot take all items', async () => {
    const { behaviour, url } = await serve();
    behaviour.room = 1;
    const responses = [itemOf(entry), itemOf(entry, { nullifier: '0x1' })];
    expectError(await post(url, RP_ID, bodyOf(entry, { responses })), 503, {
      ...REFUSED.busy,
      app_id: APP_ID,
    });
  });

  it('deadline: refuses when the time is over before every item has an answer', async () => {
    const { behaviour, url } = await serve();
    behaviour.deadlineMs = 20;
    behaviour.verdict = () => new Promise<Verdict>(() => undefined);
    expectError(await post(url, RP_ID, bodyOf(entry)), 503, { ...REFUSED.late, app_id: APP_ID });
  });

  it('internal-items: answers 500 when workers are lost, the engine drains, or an unexpected error occurs', async () => {
    const { behaviour, url } = await serve();
    const answers: (() => Verdict)[] = [
      () => ({ ok: false, code: 'engine.poison' }),
      () => ({ ok: false, code: 'engine.draining' }),
      () => {
        throw new Error('unforeseen');
      },
    ];
    for (const answer of answers) {
      behaviour.verdict = answer;
      expectError(await post(url, RP_ID, bodyOf(entry)), 500, {
        ...REFUSED.internal,
        app_id: APP_ID,
        results: [internalItem(entry)],
      });
    }
  });

  it('nullifier-write: answers 503 or 500 when the nullifier cannot be stored', async () => {
    const { behaviour, url } = await serve();
    behaviour.record = () => Promise.reject(new ServiceError('store.unreachable'));
    expectError(await post(url, RP_ID, bodyOf(entry)), 503, NOT_SAVED);
    behaviour.record = () => Promise.reject(new Error('unforeseen'));
    expectError(await post(url, RP_ID, bodyOf(entry)), 500, NOT_SAVED);
  });

  it('unforeseen: answers 500 without the text of the error, whose cause goes to the log', async () => {
    const { behaviour, url, records } = await serve();
    behaviour.findApp = () => {
      throw new Error('secret text');
    };
    expectError(await post(url, RP_ID, bodyOf(entry)), 500, { ...REFUSED.internal, app_id: RP_ID });
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({
      status: 500,
      code: 'internal.unforeseen',
      error: { cause: { message: 'secret text' } },
    });
  });

  it('drops the items of a client that disconnects, and stores nothing', async () => {
    const { behaviour, port, engineCalls, recorded, records, metrics } = await serve();
    const verdict = gate<Verdict>();
    behaviour.verdict = () => verdict.promise;
    const body = JSON.stringify(bodyOf(entry));
    const client = await RawClient.open(port);
    client.send(requestText(`POST /api/v4/verify/${RP_ID}`, [`Content-Length: ${body.length}`], body));
    await until(() => engineCalls.length === 1);
    client.destroy();
    await until(() => engineCalls[0]?.options.signal?.aborted === true);
    verdict.open({ ok: true });
    await until(() => records.length === 1);
    expect(records[0]?.isAborted).toBe(true);
    expect(recorded).toEqual([]);
    expect(await metrics.exposition()).not.toMatch(/^proofgate_verify_requests_total\{/m);
  });
});
