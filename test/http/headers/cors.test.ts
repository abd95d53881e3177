// Rules: spec/sign-in.md#cors
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { renderSigninError } from '../../../src/http/errors/signin.ts';
import { anyOrigin, someOrigins } from '../../../src/http/headers/cors.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openListener, testRoute } from '../../support/server/test-listener.ts';

const FRIEND = 'https://friend.example';
const OWN = 'https://own.example';
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Headers';
const open = anyOrigin({ methods: ['GET', 'PUT', 'OPTIONS'], requestHeaders: '*' });
/** Like those of sign-in: a request of a known client also allows the origin of that client. */
const friendsOnly = someOrigins({
  methods: ['GET', 'OPTIONS'],
  requestHeaders: 'Authorization, Content-Type',
  exposed: 'WWW-Authenticate',
  isAllowed: async (origin, clientId) => origin === FRIEND || (clientId === 'known' && origin === OWN),
});

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
    ['a repeated header', 'GET /open/a', ['Authorization: a', 'Authorization: b'], 400],
    ['an unknown path below its prefix', 'GET /open/a/b', [], 404],
    ['a preflight of such a path', 'OPTIONS /open/a/b', [], 404],
  ])('sends its CORS header with %s', async (_name, line, headers, status) => {
    const answer = await call(line, headers);
    expect(answer.status).toBe(status);
    expect(corsHeaders(answer)).toEqual({ 'access-control-allow-origin': '*' });
  });

  it('sends its CORS header on overload', async () => {
    const { port } = await openListener(
      [testRoute('GET', '/open', () => ({ status: 200 }), { cors: open })],
      { limits: { maxOpenExchanges: 0 } },
    );
    const answer = await rawRequest(port, requestText('GET /open'));
    expect(answer.status).toBe(503);
    expect(headerOf(answer, 'access-control-allow-origin')).toBe('*');
  });

  it('answers a preflight with 204, methods, headers and max-age', async () => {
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
  const refuse = (clientId: string): never => {
    throw new ServiceError('http.not_found', undefined, { clientId });
  };
  const call = async (line: string, origin: string | undefined): Promise<RawResponse> => {
    const { port } = await openListener([
      testRoute('GET', '/some', () => ({ status: 200 }), { cors: friendsOnly }),
      testRoute('GET', '/client', async () => ({ status: 200, clientId: 'known' }), { cors: friendsOnly }),
      testRoute('GET', '/refused', () => refuse('known'), { cors: friendsOnly }),
      testRoute('POST', '/body', () => ({ status: 200 }), { cors: friendsOnly, bodyLimitBytes: 1 }),
    ]);
    const body = line === 'POST /body' ? ['Content-Length: 2'] : [];
    return rawRequest(
      port,
      requestText(line, [...body, ...(origin === undefined ? [] : [`Origin: ${origin}`])]),
    );
  };
  const allowed = (origin: string): Record<string, string> => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'WWW-Authenticate',
  });

  it.each([
    ['an answer', 'GET /some', FRIEND, 200, allowed(FRIEND)],
    ['an answer', 'GET /some', OWN, 200, {}],
    ['an answer', 'GET /some', 'https://stranger.example', 200, {}],
    ['an answer', 'GET /some', undefined, 200, {}],
    ['the answer to a client', 'GET /client', OWN, 200, allowed(OWN)],
    ['the answer to a client', 'GET /client', 'https://stranger.example', 200, {}],
    ['the refusal of a client', 'GET /refused', OWN, 404, allowed(OWN)],
    ['the refusal of a client', 'GET /refused', 'null', 404, {}],
    ['another method', 'POST /some', FRIEND, 405, allowed(FRIEND)],
    ['another method', 'POST /some', 'https://stranger.example', 405, {}],
    ['a body that is too large', 'POST /body', FRIEND, 413, allowed(FRIEND)],
  ])(
    'sends with %s, %s, the CORS headers for the origin %s',
    async (_name, line, origin, status, headers) => {
      const answer = await call(line, origin);
      expect(answer.status).toBe(status);
      expect(corsHeaders(answer)).toEqual({ vary: 'Origin', ...headers });
    },
  );

  it.each([
    [
      FRIEND,
      {
        ...allowed(FRIEND),
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': 'Authorization, Content-Type',
        'access-control-max-age': '600',
      },
    ],
    [OWN, {}],
    [undefined, {}],
  ])('answers a preflight of %s, which names no client, with 204', async (origin, headers) => {
    const answer = await call('OPTIONS /client', origin);
    expect([answer.status, answer.body.length]).toEqual([204, 0]);
    expect(corsHeaders(answer)).toEqual({ vary: PREFLIGHT_VARY, ...headers });
  });

  it('answers without CORS headers when the origin check fails', async () => {
    const cors = someOrigins({
      methods: ['GET'],
      requestHeaders: '',
      exposed: 'WWW-Authenticate',
      isAllowed: () => Promise.reject(new Error('the store is away')),
    });
    const { port } = await openListener([testRoute('GET', '/some', () => ({ status: 200 }), { cors })]);
    for (const [line, status, vary] of [
      ['GET /some', 200, 'Origin'],
      ['OPTIONS /some', 204, PREFLIGHT_VARY],
    ] as const) {
      const answer = await rawRequest(port, requestText(line, [`Origin: ${FRIEND}`]));
      expect([answer.status, corsHeaders(answer)]).toEqual([status, { vary }]);
    }
  });

  it('answers 503 without CORS headers when the origin check exceeds the handler timeout', async () => {
    const cors = someOrigins({
      methods: ['GET'],
      requestHeaders: '',
      exposed: 'WWW-Authenticate',
      isAllowed: () => new Promise(() => {}),
    });
    const { port } = await openListener([testRoute('GET', '/some', () => ({ status: 200 }), { cors })], {
      limits: { handlerTimeoutMs: 20 },
    });
    const answer = await rawRequest(port, requestText('GET /some', [`Origin: ${FRIEND}`]));
    expect([answer.status, corsHeaders(answer)]).toEqual([503, {}]);
  });
});

describe('the headers that a page asks for in a preflight', () => {
  const named = 'Authorization, Content-Type';
  const some = someOrigins({
    methods: ['GET', 'OPTIONS'],
    requestHeaders: named,
    exposed: 'WWW-Authenticate',
    isAllowed: async (origin) => origin === FRIEND,
  });
  const every = anyOrigin({ methods: ['GET', 'HEAD', 'OPTIONS'], requestHeaders: 'Content-Type' });
  const call = async (path: string, requested: string, origin = FRIEND): Promise<RawResponse> => {
    const { port } = await openListener([
      testRoute('GET', '/some', () => ({ status: 200 }), { cors: some }),
      testRoute('GET', '/every', () => ({ status: 200 }), { cors: every }),
      testRoute('GET', '/all', () => ({ status: 200 }), { cors: open }),
    ]);
    const headers = [`Origin: ${origin}`, `Access-Control-Request-Headers: ${requested}`];
    return rawRequest(port, requestText(`OPTIONS ${path}`, headers));
  };
  const allowed = async (path: string, requested: string): Promise<string> =>
    headerOf(await call(path, requested), 'access-control-allow-headers') ?? '';

  it.each([
    ['of tracing', 'baggage,sentry-trace,traceparent', 'baggage, sentry-trace, traceparent'],
    ['with spaces and capitals', 'X-Datadog-Trace-Id , Request-Id', 'x-datadog-trace-id, request-id'],
    ['once each, without those that are named anyway', 'a,content-type,a,authorization', 'a'],
    ['without credentials', 'cookie,dpop,proxy-authorization,tracestate', 'tracestate'],
    ['without what is no name', 'b, *,,c d,e\tf,g(h),ok', 'b, ok'],
  ])('are allowed for an allowed origin: %s', async (_name, requested, more) => {
    expect(await allowed('/some', requested)).toBe(`${named}, ${more}`);
  });

  it('are allowed where every origin may call, with Vary, but never a credential', async () => {
    const answer = await call('/every', 'authorization,cookie,dpop,traceparent');
    expect(corsHeaders(answer)).toEqual({
      vary: 'Access-Control-Request-Headers',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Content-Type, traceparent',
      'access-control-max-age': '600',
    });
  });

  it('are not repeated where all are allowed', async () => {
    expect(await allowed('/all', 'traceparent')).toBe('*');
  });

  it('are not allowed for another origin', async () => {
    const answer = await call('/some', 'traceparent', 'https://stranger.example');
    expect(corsHeaders(answer)).toEqual({ vary: PREFLIGHT_VARY });
  });

  it.each([
    ['more than 64 names', Array.from({ length: 65 }, (_, index) => `x-${index}`).join(',')],
    ['more than 2,048 characters', `x-${'a'.repeat(60)},`.repeat(33)],
    ['a name of more than 128 characters', 'a'.repeat(129)],
  ])('are ignored beyond a bound: %s', async (_name, requested) => {
    expect(await allowed('/some', requested)).toBe(named);
  });

  it('are all allowed up to 64', async () => {
    const names = Array.from({ length: 64 }, (_, index) => `x-${index}`);
    expect(await allowed('/some', names.join(','))).toBe(`${named}, ${names.join(', ')}`);
  });
});
