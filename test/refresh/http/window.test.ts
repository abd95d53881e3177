// Rules: spec/refresh.md#rate-limits
import { afterEach, describe, expect, it } from 'vitest';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';

const START = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

let clock = START;
let service: RefreshService;

async function serve(settings: Readonly<Record<string, string>> = {}): Promise<TestHolder> {
  clock = START;
  service = await startRefreshService({ settings, now: () => clock });
  const holder = testHolder('window');
  await service.enrol([holder]);
  return holder;
}

afterEach(() => service.end());

const summary = ({ status, body, headers }: RefreshAnswer) => [
  status,
  body.error ?? 'issued',
  headers.get('retry-after'),
];
const ISSUED = [200, 'issued', null];
const limited = (seconds: number) => [429, 'RATE_LIMIT_EXCEEDED', String(seconds)];

describe('rateLimits.refreshPerIdComm', () => {
  it('issues five credentials and refuses the sixth until the first has left the sliding window', async () => {
    const holder = await serve();
    const refresh = async () => summary(await service.client.refresh(holder));
    for (let index = 0; index < 5; index++) {
      clock = START + index * 1500;
      expect(await refresh()).toEqual(ISSUED);
    }
    expect(await refresh()).toEqual(limited(86_394));
    clock = START + DAY_MS - 1;
    expect(await refresh()).toEqual(limited(1));
    clock = START + DAY_MS;
    expect(await refresh()).toEqual(ISSUED);
    // refusals are not counted: the next refresh waits for the second one
    expect(await refresh()).toEqual(limited(2));
    clock = START + DAY_MS + 1500;
    expect(await refresh()).toEqual(ISSUED);
  });

  it('keeps the genesis across windows and counts the validity from each issuance', async () => {
    const holder = await serve({ 'refresh.validity': 'P30D' });
    const first = await service.client.refresh(holder);
    clock += 10 * DAY_MS;
    const second = await service.client.refresh(holder);
    const seconds = START / 1000;
    expect(first.credential).toContain(
      `"genesis_issued_at":${seconds},"expires_at":${seconds + 30 * 86_400},`,
    );
    expect(second.credential).toContain(
      `"genesis_issued_at":${seconds},"expires_at":${seconds + 40 * 86_400},`,
    );
  });

  it('does not count requests with a false proof, so that others cannot use up the window', async () => {
    const holder = await serve({ 'rateLimits.refreshPerIdComm': '1' });
    for (let index = 0; index < 3; index++) {
      expect((await service.client.refresh(holder, { isFalse: true })).status).toBe(401);
    }
    expect(summary(await service.client.refresh(holder))).toEqual(ISSUED);
    expect(summary(await service.client.refresh(holder))).toEqual(limited(86_400));
  });

  it('is turned off by 0', async () => {
    const holder = await serve({ 'rateLimits.refreshPerIdComm': '0' });
    for (let index = 0; index < 7; index++) {
      expect(summary(await service.client.refresh(holder))).toEqual(ISSUED);
    }
  });
});

describe('rateLimits.refreshProofAttemptsPerMinute', () => {
  it('counts requests with a readable proof, true or false, until the next minute begins', async () => {
    const holder = await serve({ 'rateLimits.refreshProofAttemptsPerMinute': '2' });
    clock = START + 45_500;
    const call = await service.client.call(holder);
    const statusOf = async (headers: Readonly<Record<string, string>>) =>
      (await service.client.send({ ...call, headers })).status;
    for (let index = 0; index < 3; index++) expect(await statusOf({ 'x-zkp-proof': '!' })).toBe(401);
    expect((await service.client.refresh(holder, { isFalse: true })).status).toBe(401);
    expect(await statusOf(call.headers)).toBe(200);
    const refused = await service.client.send(call);
    expect(summary(refused)).toEqual(limited(15));
    await expect(service.logLine(refused)).resolves.toMatchObject({ check: 8, code: 'http.rate_limited' });
    clock = START + 60_000;
    expect(await statusOf(call.headers)).toBe(200);
  });

  it('counts challenges too', async () => {
    const holder = await serve({
      'rateLimits.refreshProofAttemptsPerMinute': '2',
      'refresh.challengeRequired': 'true',
    });
    expect((await service.client.get('/api/v1/challenge')).status).toBe(200);
    expect((await service.client.get('/api/v1/challenge')).status).toBe(200);
    const refused = await service.client.get('/api/v1/challenge');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await service.client.refresh(holder)).status).toBe(429);
  });
});

describe('rateLimits.refreshMalformed', () => {
  it('counts requests that are refused before a proof is checked, and then refuses all of the address', async () => {
    const holder = await serve({ 'rateLimits.refreshMalformed': '2' });
    const call = await service.client.call(holder);
    const sendWith = (headers: Readonly<Record<string, string>>) =>
      service.client.send({ ...call, headers: { ...call.headers, ...headers } });
    expect((await service.client.refresh(holder, { isFalse: true })).body.error).toBe('INVALID_PROOF');
    expect((await sendWith({ 'content-type': 'multipart/form-data' })).body.error).toBe('INVALID_REQUEST');
    expect((await sendWith({ 'x-zkp-proof': '!' })).body.error).toBe('UNAUTHORIZED');
    const refused = await service.client.send(call);
    expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(service.logLine(refused)).resolves.toMatchObject({ code: 'http.rate_limited' });
  });
});

describe('refresh.challengeRequired', () => {
  it('requires a proof over a challenge, which works once', async () => {
    const holder = await serve({ 'refresh.challengeRequired': 'true' });
    const answer = await service.client.get('/api/v1/challenge');
    const { challenge, expires_at: expiresAt } = (await answer.json()) as {
      challenge: string;
      expires_at: number;
    };
    expect(expiresAt).toBe(START / 1000 + 300);
    const bytes = Buffer.from(challenge.slice(2), 'hex');
    const preImage = Buffer.concat([Buffer.from('proofgate-refresh'), bytes]);
    const call = await service.client.call(holder, { preImage });
    expect((await service.client.send(call)).status).toBe(200);
    expect((await service.client.send(call)).body.error).toBe('INVALID_PROOF');
    expect((await service.client.refresh(holder)).body.error).toBe('INVALID_PROOF');
  });

  it('if off, issues no challenge', async () => {
    await serve();
    const answer = await service.client.get('/api/v1/challenge');
    expect(answer.status).toBe(404);
    await expect(answer.json()).resolves.toMatchObject({ success: false, error: 'NOT_FOUND' });
  });
});
