import { beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import {
  encode,
  getAuthorize,
  having,
  type Pairs,
  postAuthorize,
  readRedirect,
  twice,
  without,
} from '../support/authorize-client.ts';

/** A check, and how a request breaks it. */
interface Check {
  readonly name: string;
  readonly breaks: (pairs: Pairs) => Pairs;
}

interface ServiceCheck extends Check {
  readonly body: readonly [error: string, code: string, detail: string, attribute: string | null];
}

interface AppCheck extends Check {
  readonly error: string;
  readonly description: string;
  /** Default: fragment. */
  readonly mode?: 'query';
}

const CALLBACK = 'https://shop.example/cb?shop=1';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const BASE = [
  ['redirect_uri', CALLBACK],
  ['response_type', 'code id_token'],
  ['scope', 'openid'],
  ['state', 'state of the app'],
  ['nonce', 'n'],
  ['code_challenge', CHALLENGE],
  ['code_challenge_method', 'S256'],
] as const satisfies Pairs;
const REQUIRED = 'This attribute is required.';

/** Checks that are answered to the app (spec/sign-in.md#checks-answered-to-the-app). */
const APP_CHECKS: readonly AppCheck[] = [
  {
    name: 'a known parameter twice',
    breaks: (pairs) => twice(pairs, 'display'),
    error: 'invalid_request',
    description: 'display: expected once, got it again.',
    mode: 'query',
  },
  {
    name: 'no response_type',
    breaks: (pairs) => without(pairs, 'response_type'),
    error: 'invalid_request',
    description: `response_type: ${REQUIRED}`,
    mode: 'query',
  },
  {
    name: 'the response_type token alone',
    breaks: (pairs) => having(pairs, 'response_type', 'token'),
    error: 'unsupported_response_type',
    description: 'The response_type is not supported.',
  },
  {
    name: 'a response_type that the client is not registered for',
    breaks: (pairs) => having(pairs, 'response_type', 'token code'),
    error: 'unauthorized_client',
    description: 'The client is not registered for this response_type.',
  },
  {
    name: 'an unknown response_mode',
    breaks: (pairs) => having(pairs, 'response_mode', 'web_message'),
    error: 'invalid_request',
    description: 'response_mode: expected query, fragment or form_post.',
  },
  {
    name: 'response_mode query with a response_type other than code',
    breaks: (pairs) => having(pairs, 'response_mode', 'query'),
    error: 'invalid_request',
    description: 'response_mode: query is for response_type code only.',
  },
  ...(['request', 'request_uri', 'registration'] as const).map((name) => ({
    name: `the parameter ${name}`,
    breaks: (pairs: Pairs) => having(pairs, name, 'x'),
    error: `${name}_not_supported`,
    description: `The parameter ${name} is not supported.`,
  })),
  {
    name: 'no scope',
    breaks: (pairs) => without(pairs, 'scope'),
    error: 'invalid_request',
    description: `scope: ${REQUIRED}`,
  },
  {
    name: 'a scope without openid',
    breaks: (pairs) => having(pairs, 'scope', 'email OpenID'),
    error: 'invalid_scope',
    description: 'The scope must include openid.',
  },
  {
    name: 'no nonce',
    breaks: (pairs) => having(pairs, 'nonce', ''),
    error: 'invalid_request',
    description: `nonce: ${REQUIRED}`,
  },
  {
    name: 'a method without a challenge',
    breaks: (pairs) => having(without(pairs, 'code_challenge'), 'code_challenge_method', 'S256'),
    error: 'invalid_request',
    description: 'code_challenge_method was sent without code_challenge.',
  },
  ...[
    ['of 42 characters', CHALLENGE.slice(1), 'S256'],
    ['of 44 characters', `${CHALLENGE}A`, 'S256'],
    ['with padding', `${CHALLENGE.slice(1)}=`, 'S256'],
    ['with the method plain', CHALLENGE, 'plain'],
    ['without a method', CHALLENGE, ''],
  ].map(([name = '', challenge = '', method = '']) => ({
    name: `a challenge ${name}`,
    breaks: (pairs: Pairs) =>
      having(having(pairs, 'code_challenge', challenge), 'code_challenge_method', method),
    error: 'invalid_request',
    description: 'transform algorithm not supported',
  })),
  {
    name: 'no challenge from a client that must send one',
    breaks: (pairs) => without(pairs, 'code_challenge', 'code_challenge_method'),
    error: 'invalid_request',
    description: 'This client must send a code_challenge.',
  },
  {
    name: 'a dpop_jkt of 42 characters',
    breaks: (pairs) => having(pairs, 'dpop_jkt', CHALLENGE.slice(1)),
    error: 'invalid_request',
    description: 'dpop_jkt: expected the base64url of a SHA-256 thumbprint.',
  },
  {
    name: 'a max_age that is not a number of seconds',
    breaks: (pairs) => having(pairs, 'max_age', '-1'),
    error: 'invalid_request',
    description: 'max_age must be a non-negative integer.',
  },
  {
    name: 'prompt none with another value',
    breaks: (pairs) => having(pairs, 'prompt', 'login none'),
    error: 'invalid_request',
    description: 'prompt=none cannot be combined with other values.',
  },
  {
    name: 'an id_token_hint that is not a token of the service',
    breaks: (pairs) => having(pairs, 'id_token_hint', 'a.b.c'),
    error: 'invalid_request',
    description: 'id_token_hint is not an ID token of this service for the client.',
  },
  {
    name: 'prompt none',
    breaks: (pairs) => having(pairs, 'prompt', 'none'),
    error: 'login_required',
    description: 'The person must be asked for a proof.',
  },
];
let clientId: string;
let disabledId: string;
let verifyOnlyId: string;
let serviceChecks: readonly ServiceCheck[];

const service = opened(useSharedSignin);
beforeAll(async () => {
  ({ clientId } = await service.addClient({
    redirectUris: [CALLBACK],
    responseTypes: ['code', 'code id_token', 'id_token'],
    requirePkce: true,
  }));
  ({ clientId: disabledId } = await service.addClient({ redirectUris: [CALLBACK], status: 'disabled' }));
  ({ clientId: verifyOnlyId } = await service.addClient({ redirectUris: [] }));
  const client = (id: string) => (pairs: Pairs) => having(pairs, 'client_id', id);
  serviceChecks = [
    {
      name: 'no client_id',
      breaks: (pairs) => having(pairs, 'client_id', ''),
      body: ['invalid_request', 'required', REQUIRED, 'client_id'],
    },
    {
      name: 'client_id twice',
      breaks: (pairs) => twice(pairs, 'client_id'),
      body: ['invalid_request', 'invalid_request', 'client_id: expected once, got it again.', 'client_id'],
    },
    {
      name: 'an unknown client',
      breaks: client(`app_staging_${'0'.repeat(32)}`),
      body: ['invalid_client', 'app_not_found', 'No app has this client_id.', 'client_id'],
    },
    ...[
      ['a disabled client', disabledId],
      ['a client without redirect URIs', verifyOnlyId],
    ].map(
      ([name = '', id = '']): ServiceCheck => ({
        name,
        breaks: client(id),
        body: [
          'unauthorized_client',
          'sign_in_not_enabled',
          'Sign-in is not enabled for this app.',
          'client_id',
        ],
      }),
    ),
    {
      name: 'no redirect_uri',
      breaks: (pairs) => without(pairs, 'redirect_uri'),
      body: ['invalid_request', 'required', REQUIRED, 'redirect_uri'],
    },
    {
      name: 'redirect_uri twice',
      breaks: (pairs) => twice(pairs, 'redirect_uri'),
      body: [
        'invalid_request',
        'invalid_request',
        'redirect_uri: expected once, got it again.',
        'redirect_uri',
      ],
    },
    {
      name: 'a redirect_uri that differs in one byte',
      breaks: (pairs) => having(pairs, 'redirect_uri', `${CALLBACK}/`),
      body: ['invalid_request', 'invalid_redirect_uri', 'Invalid redirect URI.', 'redirect_uri'],
    },
  ];
});

/** Builds a request that breaks these checks; if two of them change one parameter, the first one wins. */
function broken(checks: readonly Check[]): Pairs {
  const base: Pairs = [['client_id', clientId], ...BASE];
  return checks.reduceRight((pairs, check) => check.breaks(pairs), base);
}

const JSON_ONLY = 'Accept: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function expectRefusal(reply: RawResponse, status: number, body: ServiceCheck['body']): void {
  const [error, code, detail, attribute] = body;
  expect(JSON.parse(reply.body.toString())).toEqual(errorBody(error, code, detail, attribute));
  expect(reply.status).toBe(status);
  expect(headerOf(reply, 'content-type')).toBe('application/json');
  expect(headerOf(reply, 'location')).toBeUndefined();
  expect(headerOf(reply, 'cache-control')).toBe('no-store');
  expect(headerOf(reply, 'pragma')).toBe('no-cache');
  expect(headerOf(reply, 'x-content-type-options')).toBe('nosniff');
  expect(headerOf(reply, 'set-cookie')).toBeUndefined();
}

/** Builds a body that breaks every check from parsing onwards. */
const UNREADABLE = (): string => `${encode(broken([...serviceChecks, ...APP_CHECKS]))}&x=%zz`;

describe('/authorize, checks that the service answers without a redirect', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('method: refuses %s', async (method) => {
    const { port } = new URL(service.baseUrl);
    const reply = await rawRequest(
      Number(port),
      requestText(`${method} /authorize?${UNREADABLE()}`, [JSON_ONLY]),
    );
    const text = `HTTP method '${method}' is not allowed for this endpoint.`;
    expectRefusal(reply, 405, ['invalid_request', 'method_not_allowed', text, null]);
    expect(headerOf(reply, 'allow')).toBe('GET, POST');
  });

  it('method: refuses HEAD', async () => {
    const { port } = new URL(service.baseUrl);
    const reply = await rawRequest(Number(port), requestText(`HEAD /authorize?${encode(broken([]))}`));
    expect([reply.status, headerOf(reply, 'allow')]).toEqual([405, 'GET, POST']);
  });

  it('rate: counts GET and POST of one address together, after the method', async () => {
    const limited = await startSigninOfTest({ settings: { 'rateLimits.authorize': '2' } });
    const first = await getAuthorize(limited.baseUrl, [], [JSON_ONLY]);
    const second = await postAuthorize(limited.baseUrl, [], [JSON_ONLY, FORM]);
    expect([first.status, second.status]).toEqual([400, 400]);
    const get = await getAuthorize(limited.baseUrl, UNREADABLE(), [JSON_ONLY]);
    const post = await postAuthorize(limited.baseUrl, UNREADABLE(), [JSON_ONLY, 'Content-Type: text/plain']);
    for (const reply of [get, post]) {
      expectRefusal(reply, 429, [
        'temporarily_unavailable',
        'rate_limit',
        'Too many requests. Please try again later.',
        null,
      ]);
      expect(Number(headerOf(reply, 'retry-after'))).toBeGreaterThanOrEqual(1);
    }
    const wrongMethod = await rawRequest(
      Number(new URL(limited.baseUrl).port),
      requestText('PUT /authorize', [JSON_ONLY]),
    );
    expect(wrongMethod.status).toBe(405);
  });

  it.each([[], ['Content-Type: application/json'], ['Content-Type: multipart/form-data; boundary=x']])(
    'encoding: refuses a body with the headers %j',
    async (...type) => {
      const tooLarge = `${UNREADABLE()}&y=${'y'.repeat(32_768)}`;
      const reply = await postAuthorize(service.baseUrl, tooLarge, [JSON_ONLY, ...type]);
      expectRefusal(reply, 400, [
        'invalid_request',
        'invalid_content_type',
        'Invalid content type. Only application/x-www-form-urlencoded is supported.',
        null,
      ]);
    },
  );

  it('encoding: refuses a body of more than 32 KiB', async () => {
    const tooLarge = `${UNREADABLE()}&y=${'y'.repeat(32_768)}`;
    const reply = await postAuthorize(service.baseUrl, tooLarge, [JSON_ONLY, FORM]);
    expectRefusal(reply, 413, [
      'invalid_request',
      'request_too_large',
      'The request body is too large.',
      null,
    ]);
  });

  it('encoding: refuses a query of more than 32 KiB', async () => {
    const unreadable = UNREADABLE();
    const query = `${unreadable}&${'y'.repeat(32_768 - unreadable.length)}`;
    expect(query).toHaveLength(32_769);
    const reply = await getAuthorize(service.baseUrl, query, [JSON_ONLY]);
    expectRefusal(reply, 414, ['invalid_request', 'request_too_large', 'The query is too large.', null]);
    const atLimit = await getAuthorize(service.baseUrl, query.slice(0, -1), [JSON_ONLY]);
    expect(JSON.parse(atLimit.body.toString())).toMatchObject({ code: 'invalid_request' });
  });

  it.each(['%zz', '%', '%ff', '%ed%a0%80', '%c0%80', '\xff'])(
    'encoding: refuses parameters with %j, which is not UTF-8',
    async (bad) => {
      const text = `${encode(broken([...serviceChecks, ...APP_CHECKS]))}&x=${bad}`;
      // A target with bytes beyond ASCII is refused before any route reads it.
      const isTarget = /^[\x21-\x7e]*$/.test(bad);
      for (const send of [
        ...(isTarget ? [() => getAuthorize(service.baseUrl, text, [JSON_ONLY])] : []),
        () => postAuthorize(service.baseUrl, text, [JSON_ONLY, FORM]),
      ]) {
        expectRefusal(await send(), 400, [
          'invalid_request',
          'invalid_request',
          'The parameters are not application/x-www-form-urlencoded in UTF-8.',
          null,
        ]);
      }
    },
  );

  it('client_id and redirect_uri: reports each fault before any later one', async () => {
    for (const [index, { name, body }] of serviceChecks.entries()) {
      const pairs = broken([...serviceChecks.slice(index), ...APP_CHECKS]);
      const get = await getAuthorize(service.baseUrl, pairs, [JSON_ONLY]);
      const post = await postAuthorize(service.baseUrl, pairs, [JSON_ONLY, FORM]);
      expect({ name, body: get.body.toString() }).toEqual({ name, body: post.body.toString() });
      expectRefusal(get, 400, body);
      expectRefusal(post, 400, body);
    }
  });
});

describe('/authorize, checks answered to the app', () => {
  it.each(APP_CHECKS.map((check, index) => [check.name, index] as const))(
    'reports %s before any later fault',
    async (_name, index) => {
      const { error, description, mode = 'fragment' } = APP_CHECKS[index] as AppCheck;
      const pairs = broken(APP_CHECKS.slice(index));
      for (const reply of [
        await getAuthorize(service.baseUrl, pairs, [JSON_ONLY]),
        await postAuthorize(service.baseUrl, pairs),
      ]) {
        expect(reply.status).toBe(303);
        expect(readRedirect(headerOf(reply, 'location'), CALLBACK)).toEqual({
          mode,
          target: CALLBACK,
          parameters: [
            ['error', error],
            ['error_description', description],
            ['state', 'state of the app'],
            ['iss', service.baseUrl],
          ],
        });
        expect(headerOf(reply, 'set-cookie')).toBeUndefined();
        expect(headerOf(reply, 'referrer-policy')).toBe('no-referrer');
        expect(headerOf(reply, 'cache-control')).toBe('no-store');
        expect(headerOf(reply, 'pragma')).toBe('no-cache');
      }
    },
  );

  it('refuses each known parameter sent twice, and returns no state if the state was repeated', async () => {
    const names = [
      'response_type',
      'response_mode',
      'scope',
      'state',
      'nonce',
      'code_challenge',
      'prompt',
      'claims',
      'code_challenge_method',
      'max_age',
      'acr_values',
      'display',
      'ui_locales',
      'claims_locales',
      'dpop_jkt',
      'login_hint',
      'id_token_hint',
      'request',
      'request_uri',
      'registration',
    ];
    for (const name of names) {
      const reply = await getAuthorize(service.baseUrl, twice(broken([]), name));
      const { parameters } = readRedirect(headerOf(reply, 'location'), CALLBACK);
      expect(parameters).toEqual([
        ['error', 'invalid_request'],
        ['error_description', `${name}: expected once, got it again.`],
        ...(name === 'state' ? [] : [['state', 'state of the app']]),
        ['iss', service.baseUrl],
      ]);
    }
  });

  it('refuses a request while too many sign-ins are open, after all other checks', async () => {
    const full = await startSigninOfTest({
      settings: { 'signin.maxPendingTransactions': '1', 'rateLimits.authorize': '0' },
    });
    await full.begin();
    const request: Pairs = [
      ['client_id', full.web.clientId],
      ['redirect_uri', full.web.redirectUri],
      ['response_type', 'code'],
      ['scope', 'openid'],
      ['state', 's'],
    ];
    const reply = await getAuthorize(full.baseUrl, request);
    expect(readRedirect(headerOf(reply, 'location'), full.web.redirectUri)).toEqual({
      mode: 'query',
      target: full.web.redirectUri,
      parameters: [
        ['error', 'temporarily_unavailable'],
        ['error_description', 'Too many sign-ins are open. Please try again later.'],
        ['state', 's'],
        ['iss', full.baseUrl],
      ],
    });
    const earlier = await getAuthorize(full.baseUrl, having(request, 'prompt', 'none'));
    expect(headerOf(earlier, 'location')).toContain('error=login_required');
  });
});
