import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RefreshDraft } from '../../support/refresh/draft.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import {
  createRefreshObserver,
  type LogLine,
  type RefreshObserver,
  refusalOf,
} from '../../support/refresh/observer.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { pollUntil } from '../../support/until.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 86_400_000;
let time = Date.UTC(2026, 5, 1, 12);

/** Marker: a refusal that is always logged, and after all lines of earlier requests. */
const LAST = refusalOf('unknown', 'METHOD_NOT_ALLOWED');

async function linesAndCount(observer: RefreshObserver, drafts: readonly RefreshDraft[]) {
  const before = observer.lines().length;
  const last = { ...(await observer.fresh()), method: 'PUT' };
  const counted = await observer.countedBy(async () => {
    for (const draft of [...drafts, last]) await observer.send(draft);
  });
  await pollUntil(() => observer.lines().at(-1)?.status === 405 && observer.lines().length > before);
  return { lines: observer.lines().slice(before, -1), counted };
}

const LIMITED: LogLine = { status: 429, level: 'info', refusal: 'RATE_LIMIT_EXCEEDED' };

describe('a refusal of a full window', () => {
  let service: RefreshService;
  let observer: RefreshObserver;
  beforeAll(async () => {
    service = await startRefreshService({
      settings: { 'rateLimits.refreshPerIdComm': '1' },
      now: () => time,
    });
    observer = await createRefreshObserver(service);
  });
  afterAll(() => service?.end());

  it('is logged once per holder and window, and counted for each request', async () => {
    const { holder } = await observer.person();
    const draft = await observer.draftOf(holder);
    const other = await observer.fresh();
    for (const one of [draft, other]) expect(await observer.send(one)).toBe(200);
    const { lines, counted } = await linesAndCount(observer, [draft, draft, other, draft, other]);
    const line = { ...LIMITED, check: 10, code: 'refresh.limited' };
    expect(lines).toMatchObject([
      { ...line, withPackage: false },
      { ...line, withPackage: true },
    ]);
    expect(counted).toEqual({
      'refresh_refusals_total{package="without",error="RATE_LIMIT_EXCEEDED"}': 3,
      'refresh_refusals_total{package="with",error="RATE_LIMIT_EXCEEDED"}': 2,
      ...LAST,
    });
    time += WINDOW_MS;
    expect(await observer.send(draft)).toBe(200);
    expect((await linesAndCount(observer, [draft, draft])).lines).toMatchObject([line]);
  });
});

describe('a refusal of proof attempts', () => {
  let service: RefreshService;
  let observer: RefreshObserver;
  beforeAll(async () => {
    service = await startRefreshService({
      settings: { 'rateLimits.refreshProofAttemptsPerMinute': '1', 'refresh.challengeRequired': 'true' },
      now: () => time,
    });
    observer = await createRefreshObserver(service);
  });
  afterAll(() => service?.end());

  it('is logged once per address and minute, including refusals of challenges', async () => {
    const draft = await observer.draftOf(testHolder('no attempts left'));
    const line = { ...LIMITED, check: 8, code: 'http.rate_limited', withPackage: false };
    const challenge = async (): Promise<number> => (await service.client.get('/api/v1/challenge')).status;
    expect(await challenge()).toBe(200);
    const refused = await linesAndCount(observer, [draft, draft]);
    expect(refused.lines).toMatchObject([line]);
    expect(refused.counted).toEqual({
      'refresh_refusals_total{package="without",error="RATE_LIMIT_EXCEEDED"}': 2,
      ...LAST,
    });
    time += MINUTE_MS;
    expect([await challenge(), await challenge(), await challenge()]).toEqual([200, 429, 429]);
    expect((await linesAndCount(observer, [draft, draft])).lines).toEqual([]);
    const ofChallenges = service.app.logLines('"route":"/api/v1/challenge"');
    expect(ofChallenges.filter(({ status }) => status === 429)).toMatchObject([
      { code: 'http.rate_limited' },
    ]);
  });
});
