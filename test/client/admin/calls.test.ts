import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AdminClient, createClient } from '../../../src/client/admin/api/client.ts';
import {
  createLiveFeed,
  FEED_INTERVAL_MS,
  FEED_POINTS,
  type FeedAnswer,
} from '../../../src/client/admin/charts/live-feed.ts';

describe('a call of the admin API', () => {
  const sent: { readonly path: string; readonly init: RequestInit }[] = [];
  let answers: (() => Response)[];
  let refused: number;
  let client: AdminClient;
  beforeEach(() => {
    sent.length = 0;
    answers = [];
    refused = 0;
    client = createClient({ token: 'secret', onRefused: () => refused++ });
    vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
      sent.push({ path, init });
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError('connection refused');
      return answer();
    });
  });
  afterEach(() => void vi.unstubAllGlobals());
  const headersOf = (index: number): Record<string, string> => ({ ...(sent[index]?.init.headers as object) });

  it('has the token, and the version of what it changes', async () => {
    answers = [() => Response.json({ version: 8 }), () => new Response(null, { status: 204 })];
    expect(await client.call('PATCH /apps/{app_id}', { app_id: 'a', name: 'b' }, { version: 7 })).toEqual({
      version: 8,
    });
    await client.call('DELETE /apps/{app_id}', { app_id: 'a' }, { version: 8 });
    expect(sent[0]).toMatchObject({
      path: '/admin/v1/apps/a',
      init: { method: 'PATCH', credentials: 'omit' },
    });
    expect(headersOf(0)).toMatchObject({ Authorization: 'Bearer secret', 'If-Match': '"7"' });
    expect(headersOf(1)).toEqual({ Authorization: 'Bearer secret', 'If-Match': '"8"' });
  });

  it('is the same creation after a lost answer, and another one after an answer', async () => {
    answers = [];
    await expect(client.call('POST /apps', { name: 'a' })).rejects.toMatchObject({ status: 0 });
    answers = [() => Response.json({}), () => Response.json({})];
    await client.call('POST /apps', { name: 'a' });
    await client.call('POST /apps', { name: 'a' });
    const keys = [0, 1, 2].map((index) => headersOf(index)['Idempotency-Key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('reports a refusal with its code, also one without a body', async () => {
    answers = [
      () => Response.json({ code: 'app.unknown', detail: 'no such app' }, { status: 404 }),
      () => new Response('gateway', { status: 502 }),
    ];
    await expect(client.call('GET /apps/{app_id}', { app_id: 'a' })).rejects.toMatchObject({
      status: 404,
      code: 'app.unknown',
    });
    await expect(client.call('GET /apps/{app_id}', { app_id: 'a' })).rejects.toMatchObject({
      status: 502,
      code: '',
    });
    expect(refused).toBe(0);
  });

  it('tells when the token is no longer accepted', async () => {
    answers = [() => Response.json({ code: 'http.unauthenticated' }, { status: 401 })];
    await expect(client.call('GET /status', {})).rejects.toMatchObject({ status: 401 });
    expect(refused).toBe(1);
  });

  it('finds that no metrics are served', async () => {
    answers = [() => new Response('', { status: 404 })];
    expect(await client.metrics(new AbortController().signal)).toBeUndefined();
  });
});

describe('the live feed', () => {
  /** A document that can be hidden. */
  class Screen extends EventTarget {
    hidden = false;
    turn(hidden: boolean): void {
      this.hidden = hidden;
      this.dispatchEvent(new Event('visibilitychange'));
    }
  }
  let screen: Screen;
  let verified: number;
  let reads: number;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    screen = new Screen();
    vi.stubGlobal('document', screen);
    [verified, reads] = [0, 0];
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const read = async (): Promise<FeedAnswer> => {
    reads++;
    verified += 30;
    return { metrics: `proofgate_verify_requests_total ${verified}`, readyWorkers: 2 };
  };
  const pass = (rounds: number) => vi.advanceTimersByTimeAsync(rounds * FEED_INTERVAL_MS);

  it('shows rates from the second reading on, and keeps a bounded number of points', async () => {
    const feed = createLiveFeed(read);
    const end = new AbortController();
    const onChange = vi.fn();
    const unsubscribe = feed.points.subscribe(onChange);
    feed.follow(end.signal);
    await pass(0);
    expect(feed.points.value).toEqual([]);
    await pass(1);
    expect(feed.points.value).toMatchObject([{ figures: { verifyRate: 10 }, readyWorkers: 2 }]);
    await pass(FEED_POINTS + 20);
    expect(feed.points.value).toHaveLength(FEED_POINTS);
    // Once at first, then for each reading that has one before it.
    expect(onChange).toHaveBeenCalledTimes(reads);
    unsubscribe();
    end.abort();
    const last = reads;
    await pass(5);
    expect(reads).toBe(last);
  });

  it('pauses while the page is hidden, and does not average over the pause', async () => {
    const feed = createLiveFeed(read);
    const end = new AbortController();
    feed.follow(end.signal);
    await pass(2);
    const [before, points] = [reads, feed.points.value.length];
    screen.turn(true);
    await pass(10);
    expect(reads).toBe(before);
    screen.turn(false);
    await pass(1);
    expect(reads).toBe(before + 2);
    expect(feed.points.value.length).toBe(points + 1);
    expect(feed.points.value.at(-1)?.figures?.verifyRate).toBe(10);
    end.abort();
  });

  it('shows a gap while the service does not answer, and goes on', async () => {
    let isDown = false;
    const feed = createLiveFeed(() => (isDown ? Promise.reject(new Error('down')) : read()));
    const end = new AbortController();
    feed.follow(end.signal);
    await pass(1);
    isDown = true;
    await pass(1);
    expect(feed.points.value.at(-1)).toMatchObject({ figures: undefined, readyWorkers: undefined });
    isDown = false;
    await pass(2);
    expect(feed.points.value.at(-1)?.figures?.verifyRate).toBe(10);
    end.abort();
  });
});
