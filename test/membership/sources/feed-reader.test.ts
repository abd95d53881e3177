// Rules: spec/roots.md#http-feed
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpSource } from '../../../src/config/roots/source-types.ts';
import type { ServiceError } from '../../../src/errors/service-error.ts';
import { rootLine } from '../../../src/membership/roots/roots.ts';
import { createFeedReader, type FeedReaderParts } from '../../../src/membership/sources/feed-reader.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import { gzipBomb } from '../../support/chain/broken-answers.ts';
import { type LocalServer, serveLocally } from '../../support/server/local-server.ts';
import { useTempStore } from '../../verification/support/temp-store.ts';

const NOW = Date.UTC(2026, 0, 15);
const HOUR = 3_600_000;
const KEY = 'semaphore-depth30';

type Answer = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

const temp = useTempStore();
let server: LocalServer;
let answer: Answer;
let asked: IncomingHttpHeaders[];
let ignored: number[];
let clock: number;
let source: HttpSource;
const stopping = new AbortController();

beforeAll(async () => {
  server = await serveLocally((request, response) => {
    asked.push(request.headers);
    answer(response, request.headers);
  });
});
afterAll(() => server.close());

beforeEach(async () => {
  asked = [];
  ignored = [];
  clock = NOW;
  source = {
    id: 'feed',
    kind: 'http',
    environment: 'staging',
    tree: 'orb',
    token: undefined,
    url: `${server.origin}/roots`,
    pollSeconds: 30,
    staleAfterSeconds: 900,
  };
  await temp.store.rootSources.reset('feed');
});

function newReader(change: Partial<FeedReaderParts> = {}): ReturnType<typeof createFeedReader> {
  return createFeedReader({
    source,
    store: temp.store,
    now: () => clock,
    timeoutMs: 60_000,
    maxResponseBytes: 65_536,
    keyRules: { store: temp.store, profile: 'test', bindings: { 'verify.key.staging': KEY } },
    signal: stopping.signal,
    onIgnored: (lines) => ignored.push(lines),
    ...change,
  });
}

/** A root that was received some hours ago. */
function root(value: number, hoursAgo: number, change: Partial<RootRow> = {}): RootRow {
  return {
    environment: 'staging',
    tree: 'orb',
    root: Uint8Array.from({ length: 32 }, () => value),
    receivedAt: NOW - hoursAgo * HOUR,
    supersededAt: null,
    source: 'operator',
    keyId: null,
    ...change,
  };
}

function serve(rows: readonly RootRow[], etag?: string): void {
  answer = (response, headers) => {
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (etag !== undefined && headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(`${rows.map(rootLine).join('\n')}\n`);
  };
}

/** The roots of the source by their first byte, with the hours since they were received and superseded. */
async function stored(): Promise<unknown[]> {
  const rows = await temp.store.roots.list({ environment: 'staging', tree: 'orb' });
  const hoursAgo = (time: number | null): number | null => (time === null ? null : (NOW - time) / HOUR);
  return rows
    .filter((row) => row.source === 'feed')
    .map((row) => [row.root[0], hoursAgo(row.receivedAt), hoursAgo(row.supersededAt)]);
}

describe('a feed of roots', () => {
  it('is stored as exported, newest first or last; the greatest received_at is current', async () => {
    const rows = [root(3, 1), root(2, 2), root(1, 9, { supersededAt: NOW - 8 * HOUR })];
    serve(rows);
    expect(await newReader().round()).toBe('advanced');
    // The time of supersession is that of the feed, or else that of the next root.
    const expected = [
      [1, 9, 8],
      [2, 2, 1],
      [3, 1, null],
    ];
    expect(await stored()).toEqual(expected);
    serve(rows.toReversed());
    await newReader().round();
    expect(await stored()).toEqual(expected);
    expect(await temp.store.rootSources.find('feed')).toMatchObject({ targetTime: NOW, lastOkAt: NOW });
  });

  it('follows a new root, with the verifying key that its line names', async () => {
    const reader = newReader();
    serve([root(1, 5)]);
    await reader.round();
    serve([root(1, 5), root(2, 1, { keyId: KEY })]);
    await reader.round();
    expect(await stored()).toEqual([
      [1, 5, 1],
      [2, 1, null],
    ]);
    expect((await temp.store.roots.find('staging', 'orb', root(2, 1).root))?.keyId).toBe(KEY);
  });

  it('is asked for with its ETag; 304 moves the time up to which the roots are known, and nothing else', async () => {
    const reader = newReader();
    serve([root(1, 5)], '"one"');
    expect(await reader.round()).toBe('advanced');
    clock += 30_000;
    expect(await reader.round()).toBe('same');
    expect(asked.map((headers) => headers['if-none-match'])).toEqual([undefined, '"one"']);
    expect(await stored()).toEqual([[1, 5, null]]);
    expect((await temp.store.rootSources.find('feed'))?.targetTime).toBe(NOW + 30_000);
    serve([root(1, 5), root(2, 1)], '"two"');
    expect(await reader.round()).toBe('advanced');
    expect(await reader.round()).toBe('same');
    expect(asked.map((headers) => headers['if-none-match'])).toEqual([undefined, '"one"', '"one"', '"two"']);
  });

  it('is read anew after a reset, although it has not changed', async () => {
    const reader = newReader();
    serve([root(1, 5)], '"one"');
    await reader.round();
    await reader.round();
    await temp.store.rootSources.reset('feed');
    expect(await stored()).toEqual([]);
    expect(await reader.round()).toBe('advanced');
    expect(await stored()).toEqual([[1, 5, null]]);
    expect(await reader.round()).toBe('same');
  });

  it('gets its token as a bearer token, or none', async () => {
    serve([root(1, 5)]);
    await newReader().round();
    source = { ...source, token: 'secret' };
    await newReader().round();
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, 'Bearer secret']);
    expect(asked[0]?.accept).toBe('application/jsonl');
  });

  it('may have lines of other trees, which are ignored and counted, whatever their keys', async () => {
    serve([
      root(1, 5),
      root(2, 4, { tree: 'face', keyId: 'unknown-key' }),
      root(3, 3, { environment: 'production' }),
    ]);
    await newReader().round();
    expect(await stored()).toEqual([[1, 5, null]]);
    expect(await temp.store.roots.list({ environment: 'production', tree: 'orb' })).toEqual([]);
    expect(ignored).toEqual([2]);
  });

  it.each([
    ['is no JSON', 'root', 'line 2: expected a JSON object'],
    [
      'has an unknown member',
      JSON.stringify({ ...JSON.parse(rootLine(root(2, 4))), more: 1 }),
      'unknown member',
    ],
    ['has a root not below r', rootLine(root(255, 4)), 'below the scalar order r'],
    ['names a key that is not here', rootLine(root(2, 4, { keyId: 'unknown-key' })), 'unknown-key'],
    ['of another tree is malformed', rootLine(root(255, 4, { tree: 'face' })), 'below the scalar order r'],
  ])('is refused as a whole if a line %s', async (_name, line, message) => {
    answer = (response) => response.end([rootLine(root(1, 5)), line, rootLine(root(3, 1))].join('\n'));
    const reader = newReader();
    const failure = await reader.round().catch((cause: ServiceError) => cause);
    expect(failure).toMatchObject({ code: 'roots.feed_invalid' });
    expect((failure as ServiceError).message).toContain(message);
    expect(await stored()).toEqual([]);
    expect(JSON.parse(reader.providers())).toMatchObject([{ state: 'roots.feed_invalid' }]);
    expect((await temp.store.rootSources.find('feed'))?.targetTime ?? null).toBeNull();
  });

  it.each<[string, string, Answer]>([
    ['roots.refused', 'status 401', (response) => response.writeHead(401).end()],
    ['roots.refused', 'status 403', (response) => response.writeHead(403).end()],
    ['roots.rate_limited', 'status 429', (response) => response.writeHead(429).end()],
    ['roots.bad_response', 'status 500', (response) => response.writeHead(500).end()],
    ['roots.bad_response', 'more bytes than allowed', (response) => response.end('\n'.repeat(65_537))],
    ['roots.bad_response', 'a compressed bomb', (response) => gzipBomb(10_000_000)(response, CALL)],
    [
      'roots.bad_response',
      'a redirect',
      (response) => response.writeHead(302, { Location: source.url }).end(),
    ],
    ['roots.unreachable', 'a closed connection', (response) => response.destroy()],
    ['roots.unreachable', 'no answer in time', () => undefined],
    [
      'roots.unreachable',
      'a body that does not end in time',
      (response) => response.writeHead(200).write('\n'),
    ],
  ])('is %s for %s', async (code, name, broken) => {
    answer = broken;
    const reader = newReader(name.includes('time') ? { timeoutMs: 50 } : {});
    await expect(reader.round()).rejects.toMatchObject({ code });
    expect(await stored()).toEqual([]);
    serve([root(1, 5)]);
    await newReader().round();
    expect(await stored()).toEqual([[1, 5, null]]);
  });

  it('keeps the roots that it had while the feed fails', async () => {
    const reader = newReader();
    serve([root(1, 5)]);
    await reader.round();
    clock += HOUR;
    answer = (response) => response.writeHead(502).end();
    await expect(reader.round()).rejects.toMatchObject({ code: 'roots.bad_response' });
    expect(await stored()).toEqual([[1, 5, null]]);
    expect((await temp.store.rootSources.find('feed'))?.targetTime).toBe(NOW);
  });

  it('ends with the reason of the signal when the service stops', async () => {
    const stop = new AbortController();
    const reason = new Error('the service stops');
    answer = () => stop.abort(reason);
    await expect(newReader({ signal: stop.signal }).round()).rejects.toBe(reason);
  });
});

/** The bomb is made for an answer to a call. */
const CALL = { id: 1, method: '', params: [], headers: {} };
