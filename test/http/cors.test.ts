import { describe, expect, it } from 'vitest';
import { anyOrigin, type CorsPolicy } from '../../src/http/cors.ts';
import { renderSigninError } from '../../src/http/errors-signin.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../support/raw-client.ts';
import { openListener, testRoute } from '../support/test-listener.ts';

const FRIEND = 'https://friend.example';
const open = anyOrigin({ methods: ['GET', 'PUT', 'OPTIONS'], requestHeaders: '*' });
/** A policy whose answers depend on the origin, as those of sign-in do. */
const friendsOnly: CorsPolicy = {
  answerHeaders: (origin) => ({
    Vary: 'Origin',
    ...(origin === FRIEND ? { 'Access-Control-Allow-Origin': FRIEND } : {}),
  }),
  preflightHeaders: (origin) => (origin === FRIEND ? { 'Access-Control-Allow-Methods': 'GET' } : {}),
};

function corsHeaders(answer: RawResponse): Record<string, string> {
  const names = answer.headers.filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return Object.fromEntries(names);
}

describe('a route that every origin may call', () => {
  const fail = (): never => {
    throw new Error('of the handler');
  };
  const call = async (line: string, more: readonly string[] = []): Promise<RawResponse> => {
    const { port } = await openListener(
      [
        testRoute('GET', '/open/:id', () => ({ status: 200 }), { cors: open }),
        testRoute('PUT', '/open/:id', fail, { cors: open, bodyLimitBytes: 1 }),
        testRoute('GET', '/closed', () => ({ status: 200 })),
      ],
      { fallbacks: [{ prefix: '/open/', renderError: renderSigninError, cors: open }] },
    );
    return rawRequest(port, requestText(line, more));
  };

  it.each([
    ['an answer', 'GET /open/a', [], 200],
    ['another method', 'DELETE /open/a', [], 405],
    ['a malformed path', 'GET /open/%zz', [], 400],
    ['a body that is too large', 'PUT /open/a', ['Content-Length: 2'], 413],
    ['a failing handler', 'PUT /open/a', [], 500],
    ['a repeated header', 'GET /open/a', ['Host: again'], 400],
    ['an unknown path below its prefix', 'GET /open/a/b', [], 404],
    ['a preflight of such a path', 'OPTIONS /open/a/b', [], 404],
  ])('says so on %s', async (_name, line, headers, status) => {
    const answer = await call(line, headers);
    expect(answer.status).toBe(status);
    expect(corsHeaders(answer)).toEqual({ 'access-control-allow-origin': '*' });
  });

  it('says so on overload', async () => {
    const { port } = await openListener(
      [testRoute('GET', '/open', () => ({ status: 200 }), { cors: open })],
      { limits: { maxOpenExchanges: 0 } },
    );
    const answer = await rawRequest(port, requestText('GET /open'));
    expect(answer.status).toBe(503);
    expect(headerOf(answer, 'access-control-allow-origin')).toBe('*');
  });

  it('answers a preflight with 204, methods, headers and its lifetime', async () => {
    const answer = await call('OPTIONS /open/a', [
      'Origin: https://anywhere.example',
      'Access-Control-Request-Method: PUT',
    ]);
    expect([answer.status, answer.body.length]).toEqual([204, 0]);
    expect(headerOf(answer, 'allow')).toBe('GET, PUT, OPTIONS');
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, PUT, OPTIONS',
      'access-control-allow-headers': '*',
      'access-control-max-age': '600',
    });
  });

  it('leaves other paths alone', async () => {
    for (const line of ['GET /closed', 'OPTIONS /closed', 'GET /unknown', 'GET /open']) {
      expect(corsHeaders(await call(line)), line).toEqual({});
    }
  });
});

describe('a route that some origins may call', () => {
  it.each([
    [FRIEND, { 'access-control-allow-origin': FRIEND }],
    ['https://stranger.example', {}],
    [undefined, {}],
  ])('tells %s so, and says that answers vary', async (origin, allowed) => {
    const { port } = await openListener([
      testRoute('GET', '/some', () => ({ status: 200 }), { cors: friendsOnly }),
    ]);
    const headers = origin === undefined ? [] : [`Origin: ${origin}`];
    const get = await rawRequest(port, requestText('GET /some', headers));
    expect(get.status).toBe(200);
    expect(corsHeaders(get)).toEqual({ vary: 'Origin', ...allowed });
    const refused = await rawRequest(port, requestText('POST /some', headers));
    expect(refused.status).toBe(405);
    expect(corsHeaders(refused)).toEqual({ vary: 'Origin', ...allowed });
    const preflight = await rawRequest(port, requestText('OPTIONS /some', headers));
    expect(preflight.status).toBe(204);
    const methods = origin === FRIEND ? { 'access-control-allow-methods': 'GET' } : {};
    expect(corsHeaders(preflight)).toEqual({ vary: 'Origin', ...allowed, ...methods });
  });
});
