// Rules: spec/verification.md#refusals-for-any-circuit
import { describe, expect, it } from 'vitest';
import type { ProofSource, Verdict, VerifyOptions } from '../../../src/engine/engine.ts';
import type { ErrorCode } from '../../../src/errors/catalogue.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { groth16Route } from '../../../src/http/routes/public/groth16.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import { createGroth16Verifier } from '../../../src/verification/groth16.ts';
import { gate } from '../../support/gate.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { openListener } from '../../support/server/test-listener.ts';
import { until } from '../../support/until.ts';
import { memberOf, postProofs } from '../support/groth16.ts';
import { expectError, REFUSED } from '../support/verify-client.ts';

const FALSE: Verdict = { ok: false };

/** Starts the real listener and route over an engine and keys that the test controls. */
async function serve(more: { readonly admit?: () => void; readonly appId?: string } = {}) {
  const behaviour = {
    room: 1000,
    deadlineMs: 10_000,
    verdict: (_index: number): Verdict | Promise<Verdict> => ({ ok: true }),
    inputCount: (): number | Promise<number> => 4,
  };
  const asked: { readonly options: VerifyOptions; readonly statement: Uint8Array }[] = [];
  const faults: unknown[] = [];
  const metrics = createMetrics();
  metrics.close();
  const verify = createGroth16Verifier({
    engine: {
      canAccept: (count) => count <= behaviour.room,
      verifyStatement(_keyId, statement, options, receiver, index) {
        asked.push({ options, statement });
        Promise.resolve(index)
          .then(behaviour.verdict)
          .then(
            (verdict) => receiver.verdict(index, verdict),
            (fault: ServiceError) => receiver.failed(index, fault),
          );
      },
      stats: () => ({ backend: 'native' }) as never,
    },
    keys: { inputCountOf: async () => behaviour.inputCount() },
    metrics,
    maxProofs: 8,
    get deadlineMs() {
      return behaviour.deadlineMs;
    },
    onFault: (fault) => faults.push(fault),
  });
  const { admit, appId } = more;
  const route = groth16Route({
    basePath: '',
    verify,
    bodyLimitBytes: 65_536,
    metrics,
    ...(admit === undefined ? {} : { admit }),
    authenticate: appId === undefined ? undefined : async () => ({ appId }) as AppRow,
  });
  const { port, records } = await openListener([route]);
  const url = `http://127.0.0.1:${port}`;
  return { behaviour, asked, faults, metrics, port, records, url };
}

const list = (count: number): object => ({ proofs: Array(count).fill(memberOf()) });

describe('POST /api/v1/groth16/{key_id} when a part of the service fails', () => {
  it('refuses before the body arrives while the store is known to be down', async () => {
    const { port } = await serve({
      admit() {
        throw new ServiceError('http.unavailable');
      },
    });
    const client = await RawClient.open(port);
    client.send(requestText('POST /api/v1/groth16/any', ['Content-Length: 10']));
    expect((await client.response()).status).toBe(503);
    client.destroy();
  });

  it('refuses while the key cannot be read or used, and says no reason', async () => {
    const { behaviour, url } = await serve();
    behaviour.inputCount = () => Promise.reject(new ServiceError('store.unreachable'));
    const reply = await postProofs(url, 'any', memberOf());
    expectError(reply, 503, REFUSED.unavailable);
    expect(reply.headers.get('retry-after')).toBe('5');
    behaviour.inputCount = () => Promise.reject(new ServiceError('key.forbidden', 'secret text'));
    expectError(await postProofs(url, 'any', memberOf()), 500, REFUSED.internal);
  });

  it('admits a request as a whole or not at all, without the proofs that are malformed', async () => {
    const { behaviour, url, asked } = await serve();
    behaviour.room = 2;
    expectError(await postProofs(url, 'any', list(3)), 503, REFUSED.busy);
    expect(asked).toEqual([]);
    const proofs = [memberOf(), 'malformed', memberOf()];
    expect((await postProofs(url, 'any', { proofs })).status).toBe(200);
    behaviour.room = 0;
    expect((await postProofs(url, 'any', { proofs: ['malformed'] })).status).toBe(200);
  });

  it('refuses the request if the engine takes only some of its proofs', async () => {
    const { behaviour, url } = await serve();
    behaviour.verdict = (index) => (index === 0 ? { ok: true } : { ok: false, code: 'engine.busy' });
    expect((await postProofs(url, 'any', list(2))).body).toMatchObject({ code: 'engine_busy' });
  });

  it('refuses when the time is over, and drops what waits', async () => {
    const { behaviour, url, asked } = await serve();
    behaviour.deadlineMs = 20;
    behaviour.verdict = () => new Promise<Verdict>(() => undefined);
    expectError(await postProofs(url, 'any', list(2)), 503, REFUSED.late);
    expect(asked.map(({ options }) => options.signal?.aborted)).toEqual([true, true]);
  });

  it.each<[ErrorCode, number, object]>([
    ['engine.poison', 500, REFUSED.internal],
    ['engine.draining', 503, REFUSED.unavailable],
  ])('refuses a request none of whose proofs could be checked: %s', async (code, status, expected) => {
    const { behaviour, url } = await serve();
    behaviour.verdict = () => ({ ok: false, code }) as Verdict;
    for (const body of [memberOf(), list(2)]) {
      expectError(await postProofs(url, 'any', body), status, { ...expected });
    }
  });

  it('answers the other proofs if one could not be checked', async () => {
    const { behaviour, url, faults } = await serve();
    behaviour.verdict = (index) => {
      if (index === 0) return { ok: false, code: 'engine.poison' };
      if (index === 1) throw new Error('secret text');
      return index === 2 ? FALSE : { ok: true };
    };
    const { status, body } = await postProofs(url, 'any', list(4));
    expect(status).toBe(200);
    expect((body.results as { code?: string }[]).map(({ code = 'valid' }) => code)).toEqual([
      'engine.poison',
      'internal.unforeseen',
      'proof.false',
      'valid',
    ]);
    expect(JSON.stringify(body)).not.toContain('secret text');
    expect(faults).toHaveLength(1);
  });

  it('drops the proofs of a client that disconnects, and counts no answer', async () => {
    const { behaviour, port, asked, records, metrics } = await serve();
    const verdict = gate<Verdict>();
    behaviour.verdict = () => verdict.promise;
    const body = JSON.stringify(list(2));
    const client = await RawClient.open(port);
    client.send(requestText('POST /api/v1/groth16/any', [`Content-Length: ${body.length}`], body));
    await until(() => asked.length === 2);
    client.destroy();
    await until(() => asked.every(({ options }) => options.signal?.aborted === true));
    verdict.open({ ok: true });
    await until(() => records.length === 1);
    expect(records[0]?.isAborted).toBe(true);
    expect(await metrics.exposition()).not.toMatch(/^proofgate_groth16_requests_total\{/m);
  });
});

describe('the source of proofs of any circuit', () => {
  it.each([
    [undefined, 'groth16'],
    ['app_1', 'app_1'],
  ])('is the address with the app of the token %s', async (appId, app) => {
    const { url, asked } = await serve(appId === undefined ? {} : { appId });
    await postProofs(url, 'any', list(2));
    const sources: (ProofSource | undefined)[] = asked.map(({ options }) => options.source);
    expect(sources).toEqual([
      { address: '127.0.0.1', app },
      { address: '127.0.0.1', app },
    ]);
  });
});
