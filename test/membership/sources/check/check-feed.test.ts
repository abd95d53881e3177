// Rules: spec/roots.md#commands and spec/roots.md#http-feed
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpSource } from '../../../../src/config/roots/source-types.ts';
import { rootLine } from '../../../../src/membership/roots/roots.ts';
import { checkSource } from '../../../../src/membership/sources/check/check-source.ts';
import type { SourceReport } from '../../../../src/membership/sources/check/report.ts';
import type { RootRow } from '../../../../src/storage/roots.ts';
import { type LocalServer, serveLocally } from '../../../support/server/local-server.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { CHECK_CONFIG, expectFailed, lineNamed, namesOf } from '../support/checked-source.ts';

const NOW = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;
const TOKEN = 'feed-token-91c2';
const ROOT = 'root in the store';

const temp = useTempStore();
let server: LocalServer;
let answer: { readonly status: number; readonly body: string };
const authorizations: (string | undefined)[] = [];
beforeEach(async () => {
  await temp.store.rootSources.reset('feed');
  server = await serveLocally((request, response) => {
    authorizations.push(request.headers.authorization);
    response.writeHead(answer.status).end(answer.body);
  });
  answer = { status: 200, body: lines(rowOf(1, 0), rowOf(2, HOUR_MS)) };
});
afterEach(() => server.close());

function rowOf(root: number, at: number, fields: Partial<RootRow> = {}): RootRow {
  const bytes = new Uint8Array(32);
  bytes[31] = root;
  return {
    environment: 'staging',
    tree: 'device',
    root: bytes,
    receivedAt: NOW + at,
    supersededAt: null,
    source: 'feed',
    keyId: null,
    ...fields,
  };
}

function lines(...rows: readonly RootRow[]): string {
  return rows.map((row) => `${rootLine(row)}\n`).join('');
}

async function check(hasStore = true): Promise<SourceReport> {
  const source: HttpSource = {
    id: 'feed',
    kind: 'http',
    environment: 'staging',
    tree: 'device',
    token: TOKEN,
    url: `${server.origin}/secret-path/roots.jsonl?key=1`,
    pollSeconds: 30,
    staleAfterSeconds: 900,
  };
  return await checkSource(source, {
    config: {
      ...CHECK_CONFIG,
      verify: { ...CHECK_CONFIG.verify, keys: { 'verify.key.staging': 'trapdoor-4' } },
    },
    store: hasStore ? temp.store : { absent: 'there is no store here' },
    openProviders: () => [],
    now: () => NOW + 2 * HOUR_MS,
    signal: new AbortController().signal,
  });
}

/** Records that the feed was read. @param targetTime - When; in milliseconds since the epoch. */
async function readUntil(targetTime: number): Promise<void> {
  const opened = await temp.store.rootSources.open({
    id: 'feed',
    environment: 'staging',
    tree: 'device',
    configHash: 'x',
  });
  const { scanFrom, checkpoint, backfillTo, pendingRoots, keysAt } = opened;
  const progress = { scanFrom, checkpoint, backfillTo, pendingRoots, keysAt, targetTime, logsAt: targetTime };
  await temp.store.rootSources.commit({
    source: opened,
    progress,
    now: targetTime,
    providers: '[]',
    events: [],
    lives: [],
    withdrawn: [],
    issuers: [],
    oprfKeys: [],
  });
}

describe('the check of a feed', () => {
  it('passes if its lines are valid and its current root is that of the store', async () => {
    await readUntil(NOW + 2 * HOUR_MS);
    await temp.store.roots.put([rowOf(2, HOUR_MS)]);
    answer = { ...answer, body: `${answer.body}${lines(rowOf(3, 0, { tree: 'face' }))}` };
    const report = await check();
    expect(report.lines.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(lineNamed(report, 'lines').detail).toBe('2 roots of staging/device, 1 lines of other trees');
    expect(authorizations.at(-1)).toBe(`Bearer ${TOKEN}`);
  });

  it('fails for a root that the store should have, and notes a newer one', async () => {
    answer = { status: 200, body: lines(rowOf(9, HOUR_MS)) };
    await readUntil(NOW + HOUR_MS);
    expectFailed(await check(), ROOT, { code: 'roots.incomplete' });
    answer = { status: 200, body: lines(rowOf(9, 2 * HOUR_MS - 1000)) };
    await readUntil(NOW + 2 * HOUR_MS - 5000);
    expect(lineNamed(await check(), ROOT).status).toBe('note');
  });

  it('compares nothing without a store, a state of the source or a current root', async () => {
    expect(lineNamed(await check(false), ROOT)).toMatchObject({ detail: 'there is no store here' });
    expect(lineNamed(await check(), ROOT)).toMatchObject({ status: 'skip' });
    answer = { status: 200, body: '' };
    expect(namesOf(await check(), 'note')).toEqual(['lines']);
    expect(lineNamed(await check(), ROOT).status).toBe('skip');
  });

  it.each<[number, string]>([
    [401, 'roots.refused'],
    [429, 'roots.rate_limited'],
    [404, 'roots.bad_response'],
  ])('fails for status %i, and counts as reached', async (status, code) => {
    answer = { status, body: '' };
    const report = await check();
    expectFailed(report, 'feed', { code });
    expect(report.isReached).toBe(true);
  });

  it('fails for an invalid line', async () => {
    answer = { status: 200, body: `${answer.body}{"environment":"staging","tree":"device","root":"none"}\n` };
    const report = await check();
    expectFailed(report, 'lines', { code: 'roots.feed_invalid' });
  });

  it('is not reached if nothing answers, and shows neither path, query nor token', async () => {
    const shown: string[] = [JSON.stringify((await check()).lines)];
    await server.close();
    const report = await check();
    expect(report.isReached).toBe(false);
    expectFailed(report, 'feed', { code: 'roots.unreachable' });
    shown.push(JSON.stringify(report.lines));
    expect(shown.join('')).not.toMatch(/secret-path|key=1|feed-token/);
  });
});
