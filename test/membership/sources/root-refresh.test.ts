// Rules: spec/roots.md#sequencer-oracle
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MissedStatement, RootRefresh } from '../../../src/membership/roots/root-registry.ts';
import type { RootMisses } from '../../../src/membership/sources/root-misses.ts';
import { createRootRefresh, type RootRefreshOptions } from '../../../src/membership/sources/root-refresh.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import { freePort } from '../../support/free-port.ts';
import { type LocalServer, serveLocally } from '../../support/server/local-server.ts';
import { until } from '../../support/until.ts';

const NOW = Date.UTC(2026, 0, 15);
const ROOT = wordOf(0x0901n);
/** Eight words of a proof and four public inputs, numbered. */
const STATEMENT: MissedStatement = {
  bytes: Buffer.concat(Array.from({ length: 12 }, (_, index) => wordOf(BigInt(0x0101 + 0x0100 * index)))),
  maxAgeSeconds: 7200,
};
const NO_SOURCE: RootMisses = { has: () => false, find: async () => undefined };

interface SequencerRequest {
  readonly url: string | undefined;
  readonly body: unknown;
}

let server: LocalServer;
let url: string;
let answer: (response: ServerResponse) => void;
let requests: SequencerRequest[];

beforeAll(async () => {
  server = await serveLocally(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ url: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) });
    answer(response);
  });
  url = `${server.origin}/sequencer`;
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
  answer = (response) => response.end('{}');
});

function refreshOf(options: Partial<RootRefreshOptions> = {}): RootRefresh | undefined {
  return createRootRefresh({
    misses: NO_SOURCE,
    oracles: { 'production.orb': url },
    waitMs: 10_000,
    maxWaiting: 3,
    now: () => NOW,
    ...options,
  })('production', 'orb');
}

const ask = async (options?: Partial<RootRefreshOptions>): Promise<RootRow | undefined> =>
  refreshOf(options)?.(ROOT, STATEMENT);

describe('a sequencer', () => {
  it('is sent proof and public inputs in the form of its interface', async () => {
    await ask();
    const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
    expect(requests).toEqual([
      {
        url: '/sequencer/verifySemaphoreProof?maxRootAgeSeconds=7200',
        body: {
          root: word(0x0901),
          nullifierHash: word(0x0a01),
          signalHash: word(0x0b01),
          externalNullifierHash: word(0x0c01),
          proof: [
            [word(0x0101), word(0x0201)],
            [
              [word(0x0301), word(0x0401)],
              [word(0x0501), word(0x0601)],
            ],
            [word(0x0701), word(0x0801)],
          ],
        },
      },
    ]);
  });

  it('that accepts makes the root a current one for this request', async () => {
    expect(await ask()).toEqual({
      environment: 'production',
      tree: 'orb',
      root: ROOT,
      receivedAt: NOW,
      supersededAt: null,
      source: 'sequencer',
      keyId: null,
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['refuses', (response) => response.writeHead(400).end('invalid root')],
    ['fails', (response) => response.writeHead(500).end()],
    [
      'redirects to where it would accept',
      (response) => response.writeHead(requests.length > 1 ? 200 : 307, { Location: url }).end(),
    ],
    ['answers without end', (response) => response.end(Buffer.alloc(70_000))],
    ['hangs up', (response) => response.destroy()],
  ])('that %s leaves the root unknown', async (_name, broken) => {
    answer = broken;
    expect(await ask()).toBeUndefined();
  });

  it('that is slow or absent leaves the root unknown', async () => {
    answer = () => undefined;
    expect(await ask({ waitMs: 30 })).toBeUndefined();
    answer = (response) => response.writeHead(200).write('{');
    expect(await ask({ waitMs: 30 })).toBeUndefined();
    const closed = `http://127.0.0.1:${await freePort()}`;
    expect(await ask({ oracles: { 'production.orb': closed } })).toBeUndefined();
  });

  it('is not asked by more requests at a time than may wait', async () => {
    const waiting: ServerResponse[] = [];
    answer = (response) => waiting.push(response);
    const refresh = refreshOf();
    const first = [1, 2, 3].map(() => refresh?.(ROOT, STATEMENT));
    expect(await refresh?.(ROOT, STATEMENT)).toBeUndefined();
    await until(() => waiting.length === 3);
    for (const response of waiting) response.end();
    expect((await Promise.all(first)).map((row) => row?.source)).toEqual(Array(3).fill('sequencer'));
    answer = (response) => response.end();
    expect((await refresh?.(ROOT, STATEMENT))?.source).toBe('sequencer');
    expect(requests).toHaveLength(4);
  });

  it('is asked after the source of the tree, and only for what that does not know', async () => {
    let found: Partial<RootRow> | undefined = { source: 'chain' };
    const misses: RootMisses = { has: () => true, find: async () => found as RootRow | undefined };
    expect((await ask({ misses }))?.source).toBe('chain');
    expect(requests).toEqual([]);
    found = undefined;
    expect((await ask({ misses }))?.source).toBe('sequencer');
    expect(await ask({ misses, oracles: {} })).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('is asked for no tree without its address, and never with a wait of 0', () => {
    expect(refreshOf({ oracles: {} })).toBeUndefined();
    expect(refreshOf({ oracles: { 'production.face': url, 'staging.orb': url } })).toBeUndefined();
    expect(refreshOf({ waitMs: 0 })).toBeUndefined();
  });
});
