// Rules: spec/sign-in.md#external-bridge
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { seal } from '../../support/crypto/sealed-message.ts';
import { opened } from '../../support/opened.ts';
import { serveLocally } from '../../support/server/local-server.ts';
import { approve, decline, openRequest, parseLink, proveRequest } from '../../support/test-wallet.ts';
import { type BrowserSignIn, START, startSignIns } from './support/sign-ins.ts';

const UNREACHABLE = 'The wallet bridge could not be reached. Please try again.';

describe('sign-ins over an external bridge', () => {
  // The bridge of another service, with its own path and its own store.
  const relay = opened(startSignIns, 'end');
  const signIns = opened(
    () => startSignIns({ settings: { 'bridge.url': `${relay.baseUrl}/bridge` } }),
    'end',
  );

  it('store the request there, name it in the link, and fetch the answer when the browser polls', async () => {
    const signIn = await signIns.begin();
    const url = await signIn.connectUrl();
    expect(parseLink(url).bridge).toBe(`${relay.baseUrl}/bridge`);
    expect(await signIns.store.rowCounts()).toMatchObject({ bridge_messages: 0 });
    expect(await relay.store.rowCounts()).toMatchObject({ bridge_messages: 1 });
    const request = await openRequest(url);
    expect(await signIn.poll()).toMatchObject({ state: 'connected' });
    await request.answer(await proveRequest(request.plaintext));
    expect((await signIn.row())?.state).toBe('waiting');
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
    expect(await relay.store.rowCounts()).toMatchObject({ bridge_messages: 0 });
    expect((await signIn.finish()).code).toBeDefined();
  });

  it('report a wallet that declines, and one whose answer is unreadable', async () => {
    const declined = await signIns.begin();
    await decline(await declined.connectUrl());
    expect(await declined.poll()).toMatchObject({ state: 'refused', code: 'verification_rejected' });

    const garbled = await signIns.begin();
    const request = await openRequest(await garbled.connectUrl());
    await request.answerRaw({ iv: '§', payload: 'no base64' });
    expect(await garbled.poll()).toMatchObject({ state: 'failed', code: 'invalid_format' });
    await garbled.retry();
    await approve(await garbled.connectUrl());
    expect(await garbled.poll()).toMatchObject({ state: 'completed' });
  });

  it('accept an answer only if it is polled in time', async () => {
    const signIn = await signIns.begin();
    await approve(await signIn.connectUrl());
    signIns.clock.now += 300_001;
    onTestFinished(() => {
      signIns.clock.now = START;
    });
    expect(await signIn.poll()).toMatchObject({ state: 'expired' });
    expect((await signIn.row())?.state).toBe('waiting');
  });

  it('have expired if the bridge does not know the request', async () => {
    const signIn = await signIns.begin();
    const { requestId } = parseLink(await signIn.connectUrl());
    await approve(await signIn.connectUrl());
    expect((await relay.store.bridge.takeAnswer(requestId, START))?.status).toBe('completed');
    expect(await signIn.poll()).toMatchObject({ state: 'expired' });
    await signIn.retry();
    await approve(await signIn.connectUrl());
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });
});

describe('a bridge that misbehaves', () => {
  let serve: RequestListener;
  const server = opened(() => serveLocally((request, response) => serve(request, response)), 'close');
  const signIns = opened(
    () => startSignIns({ settings: { 'bridge.url': `${server.origin}/some/path` } }),
    'end',
  );
  beforeEach(() => {
    serve = answering(200, JSON.stringify({ request_id: 'request-0123456789' }));
  });

  it.each<[string, RequestListener]>([
    ['an error', answering(500, '{"code":"server_error"}')],
    ['text that is not JSON', answering(200, '<html>')],
    ['no id', answering(200, '{}')],
    ['an invalid id', answering(200, '{"request_id":"a/../b?c=dddddddd"}')],
    [
      'a body over the size limit',
      answering(200, JSON.stringify({ request_id: 'r'.repeat(16), x: 'x'.repeat(70_000) })),
    ],
    ['nothing', (_, response) => response.destroy()],
    ['a redirect', redirecting('{"request_id":"request-0123456789"}')],
  ])('by answering a request with %s fails the attempt, which can be tried again', async (_, listener) => {
    const good = serve;
    serve = listener;
    const signIn = await signIns.begin();
    expect(await signIn.poll()).toMatchObject({
      state: 'failed',
      code: 'server_error',
      detail: UNREACHABLE,
      connectUrl: undefined,
    });
    await signIn.retry();
    expect(await signIn.poll()).toMatchObject({ state: 'failed', attemptsLeft: 3 });
    serve = good;
    await signIn.retry();
    serve = answering(200, '{"status":"initialized","response":null}');
    expect(await signIn.poll()).toMatchObject({ state: 'waiting', attemptsLeft: 2 });
  });

  it('by silence fails the attempt too', async () => {
    const { setTimeout: wait } = globalThis;
    const limits: (() => void)[] = [];
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
      if (ms === 5000) limits.push(run);
      return wait(run, ms);
    }) as typeof setTimeout);
    onTestFinished(() => timers.mockRestore());
    serve = () => limits.shift()?.();
    const signIn = await signIns.begin();
    expect(await signIn.poll()).toMatchObject({ state: 'failed', detail: UNREACHABLE });
    await signIn.cancel();
    expect(await signIn.finish()).toMatchObject({
      error: 'access_denied',
      error_description: 'The person left the sign-in page.',
    });
  });

  describe('when it is polled for the answer', () => {
    let signIn: BrowserSignIn;
    const calls: string[] = [];
    beforeEach(async () => {
      signIn = await signIns.begin();
      calls.length = 0;
    });
    afterEach(() => signIn.cancel());

    it.each<[string, RequestListener]>([
      ['an error', answering(503, '{}')],
      ['an error without a body', answering(500, '')],
      ['text that is not JSON', answering(200, 'oops')],
      ['an unknown status', answering(200, '{"status":"paused","response":null}')],
      ['nothing', (_, response) => response.destroy()],
      ['a redirect', redirecting('{"status":"retrieved","response":null}')],
    ])('%s leaves the sign-in waiting', async (_, listener) => {
      serve = listener;
      expect(await signIn.poll()).toMatchObject({ state: 'waiting' });
      expect((await signIn.row())?.state).toBe('waiting');
    });

    it('404 without a body, as wallet-bridge answers for an unknown request, means that the attempt expired', async () => {
      serve = answering(404, '');
      expect(await signIn.poll()).toMatchObject({ state: 'expired' });
      expect((await signIn.row())?.state).toBe('waiting');
    });

    it.each([
      ['null', null],
      ['text', 'ciphertext'],
      ['without payload', { iv: 'AAAA' }],
      ['with U+0000', { iv: '\u0000', payload: 'AAAA' }],
    ])('a completed answer that is %s fails the attempt', async (_, response) => {
      serve = answering(200, JSON.stringify({ status: 'completed', response }));
      expect(await signIn.poll()).toMatchObject({ state: 'failed', code: 'invalid_format' });
    });

    it('concurrent polls make one call, with the path of the bridge and the id', async () => {
      const aesKey = (await signIn.row())?.aesKey ?? new Uint8Array();
      const sealed = seal(aesKey, { error_code: 'verification_rejected' });
      serve = (request, response) => {
        calls.push(`${request.method} ${request.url}`);
        answering(200, JSON.stringify({ status: 'completed', response: sealed }))(request, response);
      };
      const views = await Promise.all([signIn.poll(), signIn.poll(), signIn.poll()]);
      expect(views.map(({ state }) => state)).toEqual(['refused', 'refused', 'refused']);
      expect(calls).toEqual(['GET /some/path/response/request-0123456789']);
    });
  });
});

/** Returns a listener that answers each request alike. */
function answering(status: number, body: string): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  };
}

/** Returns a listener that redirects each request to a path that answers it well. */
function redirecting(body: string): RequestListener {
  return (request, response) => {
    if (request.url === '/inside') answering(200, body)(request, response);
    else response.writeHead(request.method === 'POST' ? 307 : 302, { Location: '/inside' }).end();
  };
}
