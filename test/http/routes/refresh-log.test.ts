// Rules: spec/refresh.md#log-line and spec/refresh.md#metrics
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { RefreshOutcome } from '../../../src/refresh/types.ts';
import {
  BODY,
  BODY_LIMIT,
  ISSUED,
  jsonOf,
  openRoutes,
  post,
  refused,
  TYPE,
} from '../../refresh/request/support/routes.ts';
import { gate } from '../../support/gate.ts';
import { RawClient, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { pollUntil } from '../../support/until.ts';

describe('log and metrics of a refresh', () => {
  it('get one line about a credential, and one count by its kind', async () => {
    const { port, lines, counts } = await openRoutes();
    await rawRequest(port, post([TYPE, 'x-zkp-proof: cHJvb2Y='], BODY, '?idComm=0x5ec2e7'));
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({
      level: 'info',
      route: '/api/v1/refresh',
      status: 200,
      withPackage: true,
      proofMs: 1.5,
      signMs: 2,
      commitMs: 0.25,
    });
    expect(JSON.stringify(lines())).not.toMatch(/5ec2e7|cHJvb2Y|eyJpZCI6MX0/);
    expect(await counts()).toEqual(['proofgate_credentials_issued_total{package="with"} 1']);
  });

  it('get the name, check and rule of a refusal, and the cause of an internal error', async () => {
    const outcomes = [
      refused(new ServiceError('refresh.package_invalid', 'm', { check: 13, rule: 'manifest' }), true),
      refused(new ServiceError('refresh.proof_invalid', undefined, { check: 9, rule: 'pairing' }), false),
      refused(new ServiceError('refresh.malformed_body', 'm', { check: 4 })),
      refused(new Error('planted fault')),
    ];
    let next = 0;
    const { port, lines, counts } = await openRoutes({ refresh: () => outcomes[next++] ?? ISSUED });
    for (let i = 0; i < outcomes.length; i++) await rawRequest(port, post());
    expect(lines()).toMatchObject([
      { level: 'info', withPackage: true, refusal: 'PCP_VALIDATION_FAILED', check: 13, rule: 'manifest' },
      { level: 'info', withPackage: false, refusal: 'INVALID_PROOF', check: 9, rule: 'pairing' },
      { level: 'info', refusal: 'INVALID_REQUEST', check: 4, code: 'refresh.malformed_body' },
      { level: 'error', refusal: 'INTERNAL_ERROR', code: 'internal.unforeseen' },
    ]);
    expect(JSON.stringify(lines()[3]?.err)).toContain('planted fault');
    expect(await counts()).toEqual([
      'proofgate_refresh_refusals_total{package="with",error="PCP_VALIDATION_FAILED"} 1',
      'proofgate_refresh_refusals_total{package="without",error="INVALID_PROOF"} 1',
      'proofgate_refresh_refusals_total{package="unknown",error="INVALID_REQUEST"} 1',
      'proofgate_refresh_refusals_total{package="unknown",error="INTERNAL_ERROR"} 1',
    ]);
  });

  it('get refusals that happen before the handler too, with their check', async () => {
    let isEnabled = false;
    const { port, lines, counts } = await openRoutes({
      checkEnabled: () => {
        if (!isEnabled) throw new ServiceError('refresh.disabled');
      },
    });
    await rawRequest(port, post());
    isEnabled = true;
    await rawRequest(port, post(['Content-Type: text/plain']));
    await rawRequest(port, post([TYPE], 'x'.repeat(BODY_LIMIT + 1)));
    await rawRequest(port, requestText('GET /api/v1/refresh'));
    expect(lines()).toMatchObject([
      { status: 503, refusal: 'DISABLED', check: 1 },
      { status: 415, refusal: 'UNSUPPORTED_MEDIA_TYPE', check: 2 },
      { status: 413, refusal: 'PAYLOAD_TOO_LARGE', check: 3 },
      { status: 405, refusal: 'METHOD_NOT_ALLOWED' },
    ]);
    const names = ['DISABLED', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'METHOD_NOT_ALLOWED'];
    expect(await counts()).toEqual(
      names.map((name) => `proofgate_refresh_refusals_total{package="unknown",error="${name}"} 1`),
    );
  });

  it('get one line for the first rate-limit refusal of a window, and a count for each', async () => {
    let isFirstRefusal = true;
    const { port, lines, counts } = await openRoutes({
      refresh() {
        const outcome = refused(new ServiceError('http.rate_limited', undefined, { isFirstRefusal }), false);
        isFirstRefusal = false;
        return outcome;
      },
    });
    for (let i = 0; i < 3; i++) expect((await rawRequest(port, post())).status).toBe(429);
    expect(lines()).toHaveLength(1);
    expect(await counts()).toEqual([
      'proofgate_refresh_refusals_total{package="without",error="RATE_LIMIT_EXCEEDED"} 3',
    ]);
  });

  it('get no refusal when the client has disconnected, and its signal fires', async () => {
    const late = gate<RefreshOutcome>();
    const { port, calls, metrics, counts, server } = await openRoutes({ refresh: () => late.promise });
    const client = await RawClient.open(port);
    client.send(post());
    await pollUntil(() => calls.length === 1);
    expect(calls[0]?.signal.aborted).toBe(false);
    client.destroy();
    await pollUntil(() => calls[0]?.signal.aborted === true);
    late.open(refused(new ServiceError('refresh.no_enrolment')));
    await pollUntil(() => server.openExchanges === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await counts()).toEqual([]);
    expect(
      (await metrics.exposition()).includes('proofgate_http_aborted_total{route="/api/v1/refresh"'),
    ).toBe(true);
  });

  it('get the credential even when the client has disconnected, because its record stays', async () => {
    const late = gate<RefreshOutcome>();
    const { port, calls, counts } = await openRoutes({ refresh: () => late.promise });
    const client = await RawClient.open(port);
    client.send(post());
    await pollUntil(() => calls.length === 1);
    client.destroy();
    await pollUntil(() => calls[0]?.signal.aborted === true);
    late.open(ISSUED);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await counts()).toEqual(['proofgate_credentials_issued_total{package="with"} 1']);
  });

  it('get one refusal for a request that timed out, whatever its later outcome', async () => {
    const late = gate<RefreshOutcome>();
    const { port, calls, counts } = await openRoutes({
      limits: { handlerTimeoutMs: 20 },
      refresh: () => late.promise,
    });
    const answer = await rawRequest(port, post());
    expect([answer.status, jsonOf(answer)]).toMatchObject([503, { error: 'TEMPORARILY_UNAVAILABLE' }]);
    await pollUntil(() => calls[0]?.signal.aborted === true);
    late.open(refused(new ServiceError('refresh.no_enrolment'), false));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await counts()).toEqual([
      'proofgate_refresh_refusals_total{package="unknown",error="TEMPORARILY_UNAVAILABLE"} 1',
    ]);
  });
});
