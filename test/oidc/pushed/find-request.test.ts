// Rules: spec/sign-in.md#use-of-a-pushed-request
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { beginSignIn, type PendingSignIn, redeemCode } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';
import { getAuthorize, type Pairs, postAuthorize, readRedirect } from '../support/authorize-client.ts';
import { basicOf } from '../support/back-channel.ts';

type Form = Readonly<Record<string, string>>;

const LIFE_MS = 90_000;
let now = Date.now();

const service = opened(() => startSigninService({ now: () => now }), 'end');
const client = opened(() => service.addClient());
const strict = opened(() =>
  service.addClient({
    requirePushedAuthorizationRequests: true,
    signalIsNonce: true,
    redirectUris: ['https://strict.example/cb'],
  }),
);

function requestOf({ clientId, redirectUri }: TestClient, more: Form = {}): Form {
  return { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid', ...more };
}

/** Pushes a request; returns its reference. */
async function push(more: Form = {}, by: TestClient = client): Promise<string> {
  const response = await fetch(`${service.baseUrl}/par`, {
    method: 'POST',
    headers: { authorization: basicOf(by.clientId, by.clientSecret) },
    body: new URLSearchParams(requestOf(by, more)),
  });
  const { request_uri } = (await response.json()) as { readonly request_uri?: string };
  if (response.status !== 201 || request_uri === undefined) throw new Error(`/par: ${response.status}`);
  return request_uri;
}

function use(reference: string, by: TestClient = client, more: Pairs = []): Promise<RawResponse> {
  return getAuthorize(service.baseUrl, [['client_id', by.clientId], ['request_uri', reference], ...more]);
}

/** Returns the stored request of the sign-in that a response begins. */
async function expectBegun(reply: RawResponse): Promise<Readonly<Record<string, unknown>>> {
  const page = `${service.baseUrl}/authorize/`;
  const location = headerOf(reply, 'location') ?? '';
  expect([reply.status, location.startsWith(page)]).toEqual([303, true]);
  const row = await service.store.transactions.find(location.slice(page.length), now);
  return JSON.parse(row?.request ?? '{}');
}

/** Sends a reference with headers. */
function load(reference: string, headers: readonly string[]): Promise<RawResponse> {
  const pairs: Pairs = [
    ['client_id', client.clientId],
    ['request_uri', reference],
  ];
  return getAuthorize(service.baseUrl, pairs, headers);
}

/** Returns status and text of the refusal of a reference. */
async function refusalOf(reference: string, headers: readonly string[] = []): Promise<[number, string]> {
  const { status, body } = await load(reference, ['Accept: application/json', ...headers]);
  const { detail, ...refusal } = JSON.parse(body.toString()) as { readonly detail: string };
  expect({ detail, ...refusal }).toEqual(
    errorBody('invalid_request_uri', 'invalid_request_uri', detail, 'request_uri'),
  );
  return [status, detail];
}

function cookieOf(reply: RawResponse): string {
  return headerOf(reply, 'set-cookie')?.split(';')[0] ?? '';
}

/** Begins a sign-in with a reference in another browser. */
function signInWith(reference: string): Promise<PendingSignIn> {
  return beginSignIn(service.baseUrl, { client_id: client.clientId, request_uri: reference });
}

async function prove(signIn: PendingSignIn): Promise<void> {
  await approve(signIn.connectUrl);
  expect(await signIn.settle()).toMatchObject({ status: 'completed' });
}

/** Expects the page that says that the reference is not good, and no redirect. */
function expectInvalid(
  reply: RawResponse,
  sentence = 'This link of the app is not valid, or not any more',
): void {
  expect([reply.status, headerOf(reply, 'location')]).toEqual([400, undefined]);
  expect(headerOf(reply, 'set-cookie')).toBeUndefined();
  const html = reply.body.toString();
  expect(html).toContain('<dt>Code</dt><dd><code>invalid_request_uri</code></dd>');
  expect(html).toContain(sentence);
}

describe('/authorize with the reference of a pushed request', () => {
  it.each(['GET', 'POST'])('by %s begins the sign-in that was pushed', async (method) => {
    const state = '\0 a&b=c+d%20ä🙂"';
    const reference = await push({ state, nonce: 'n', acr_values: 'orb', response_mode: 'fragment' });
    const send = method === 'GET' ? getAuthorize : postAuthorize;
    const pairs: Pairs = [
      ['client_id', client.clientId],
      ['request_uri', reference],
    ];
    expect(await expectBegun(await send(service.baseUrl, pairs))).toEqual({
      clientId: client.clientId,
      redirectUri: client.redirectUri,
      responseType: 'code',
      responseMode: 'fragment',
      scope: ['openid'],
      state,
      nonce: 'n',
      requiresOrb: true,
    });
  });

  it('ends with the response to the pushed request', async () => {
    const reference = await push({ state: 's', nonce: 'n', response_type: 'code id_token' }, strict);
    const signIn = await beginSignIn(service.baseUrl, { client_id: strict.clientId, request_uri: reference });
    await approve(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const answer = await signIn.finish();
    expect(answer.mode).toBe('fragment');
    expect(Object.keys(answer.parameters)).toEqual(['code', 'id_token', 'state', 'iss']);
    expect(answer.parameters.state).toBe('s');
  });

  it('counts no parameter beside it but client_id, even one that would be refused', async () => {
    const reference = await push({ state: 'pushed', ui_locales: 'de' });
    const beside: Pairs = [
      ['state', 'beside'],
      ['state', 'again'],
      ['redirect_uri', 'https://evil.example'],
      ['response_type', 'token'],
      ['response_mode', 'form_post'],
      ['scope', 'email'],
      ['prompt', 'none'],
      ['request', 'a.b.c'],
      ['ui_locales', 'fr'],
    ];
    const request = await expectBegun(await use(reference, client, beside));
    expect(request).toMatchObject({ state: 'pushed', redirectUri: client.redirectUri, language: 'de' });
    expect(request).toMatchObject({ responseType: 'code', responseMode: 'query', scope: ['openid'] });
  });

  it('sends a form of another site, which comes without cookies, on by GET, so that the browser finds its sign-in', async () => {
    const reference = await push();
    const pairs: Pairs = [
      ['client_id', client.clientId],
      ['request_uri', reference],
    ];
    const form = ['Content-Type: application/x-www-form-urlencoded', 'Sec-Fetch-Site: cross-site'];
    const answer = await postAuthorize(service.baseUrl, pairs, form);
    const query = new URLSearchParams(pairs.map(([name, value]) => [name, value]));
    expect([answer.status, headerOf(answer, 'location')]).toEqual([
      303,
      `${service.baseUrl}/authorize?${query}`,
    ]);
    expect(headerOf(answer, 'set-cookie')).toBeUndefined();
  });

  it('leads the same browser to the sign-in that it has begun: a reload, a prefetch, an expired reference', async () => {
    const reference = await push();
    const first = await use(reference);
    await expectBegun(first);
    const cookie = `Cookie: ${cookieOf(first)}`;
    const before = (await service.store.rowCounts()).signin_transactions;
    const again = await load(reference, [cookie]);
    expect([again.status, headerOf(again, 'location')]).toEqual([303, headerOf(first, 'location')]);
    expect(headerOf(again, 'set-cookie')).toBeUndefined();
    const prefetched = await load(reference, ['Sec-Purpose: prefetch', cookie]);
    expect(headerOf(prefetched, 'location')).toBe(headerOf(first, 'location'));
    now += LIFE_MS;
    const late = await load(reference, [cookie]);
    expect(headerOf(late, 'location')).toBe(headerOf(first, 'location'));
    expect((await service.store.rowCounts()).signin_transactions).toBe(before);
    const expired = 'The request_uri has expired.';
    expect(await refusalOf(reference, ['Cookie: __Host-pg_txn_AAAAAAAAAAAAAAAA=AAAA'])).toEqual([
      400,
      expired,
    ]);
  });

  it('begins a sign-in in each browser, one of which ends with a response; the others are told so', async () => {
    const reference = await push();
    const [one, two] = [await signInWith(reference), await signInWith(reference)];
    expect(one.txn).not.toBe(two.txn);
    await prove(one);
    await prove(two);
    const { code } = (await two.finish()).parameters;
    for (const _ of [1, 2]) {
      const late = await one.continue();
      expect([late.status, late.headers.get('location')]).toEqual([400, null]);
      const page = await late.text();
      expect(page).toContain('<code>invalid_request_uri</code>');
      expect(page).toContain('This link of the app has been used: a sign-in with it has ended.');
    }
    expect((await two.finish()).parameters.code).toBe(code);
    const used = 'The request_uri was used before.';
    expect(await refusalOf(reference)).toEqual([400, used]);
    // The browser that has ended it gets its response again by the reference, too.
    const again = await load(reference, [`Cookie: ${one.cookie}; ${two.cookie}`]);
    expect(headerOf(again, 'location')).toBe(`${service.baseUrl}/authorize/${two.txn}`);
    expect((await redeemCode(service.baseUrl, client, code)).status).toBe(200);
    expect((await two.continue()).status).toBe(403);
    now += LIFE_MS;
    expect(await refusalOf(reference)).toEqual([400, used]);
  });

  it('ends with one response, whichever of many browsers is fastest, and whatever the response is', async () => {
    for (const isLeft of [false, true]) {
      const reference = await push();
      const signIns = await Promise.all(Array.from({ length: 5 }, () => signInWith(reference)));
      await Promise.all(signIns.map((signIn) => (isLeft ? signIn.cancel() : prove(signIn))));
      const before = (await service.store.rowCounts()).authorization_codes ?? 0;
      const replies = await Promise.all(signIns.map((signIn) => signIn.continue()));
      expect(replies.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400]);
      const codes = (await service.store.rowCounts()).authorization_codes ?? 0;
      expect(codes - before).toBe(isLeft ? 0 : 1);
    }
  });

  it('works until it expires', async () => {
    const [first, second] = [await push(), await push()];
    now += LIFE_MS - 1;
    await expectBegun(await use(first));
    now += 1;
    expectInvalid(await use(second), 'This link of the app has expired.');
    expect(await refusalOf(second)).toEqual([400, 'The request_uri has expired.']);
  });

  it.each([
    ['of another client', () => push({ nonce: 'n' }, strict)],
    [
      'that is unknown',
      async () => `urn:ietf:params:oauth:request_uri:${randomBytes(32).toString('base64url')}`,
    ],
    ['that is empty', async () => 'urn:ietf:params:oauth:request_uri:'],
    ['that is too long', async () => `${await push()}A`],
    ['that is long', async () => `urn:ietf:params:oauth:request_uri:${'A'.repeat(20_000)}`],
  ])('refuses one %s', async (_name, referenceOf) => {
    expectInvalid(await use(await referenceOf()));
  });

  it('is not used up by another client', async () => {
    const reference = await push();
    expectInvalid(await use(reference, strict));
    await expectBegun(await use(reference));
  });

  it('needs the client_id, once', async () => {
    const reference = await push();
    const uri = ['request_uri', reference] as const;
    const id = ['client_id', client.clientId] as const;
    for (const [pairs, code] of [
      [[uri], 'required'],
      [[uri, id, id], 'invalid_request'],
    ] as const) {
      const reply = await getAuthorize(service.baseUrl, pairs, ['Accept: application/json']);
      expect([reply.status, headerOf(reply, 'location')]).toEqual([400, undefined]);
      expect(JSON.parse(reply.body.toString())).toMatchObject({ code, attribute: 'client_id' });
    }
    await expectBegun(await use(reference));
  });

  it('may not be sent twice', async () => {
    const reference = await push();
    const redirect = ['redirect_uri', client.redirectUri] as const;
    const twice = await use(reference, client, [['request_uri', reference], redirect]);
    expect(readRedirect(headerOf(twice, 'location'), client.redirectUri).parameters).toContainEqual([
      'error',
      'invalid_request',
    ]);
    await expectBegun(await use(reference));
  });

  it('checks the request again: the client may have changed', async () => {
    const changing = await service.addClient();
    const update = async (change: Parameters<typeof service.store.apps.update>[1]): Promise<void> => {
      await service.store.apps.update(changing.clientId, change, now);
      now += 6000;
    };
    const references = [await push({}, changing), await push({ state: 's' }, changing)];
    const { client: metadata } = (await service.store.apps.findByAppId(changing.clientId)) ?? {};
    if (metadata === undefined) throw new Error('the client is not in the store');
    await update({ client: { ...metadata, redirectUris: ['https://moved.example/cb'] } });
    const moved = await use(references[0] ?? '', changing);
    expect([moved.status, headerOf(moved, 'location')]).toEqual([400, undefined]);
    expect(moved.body.toString()).toContain('<code>invalid_redirect_uri</code>');
    await update({ client: { ...metadata, responseTypes: ['id_token'] } });
    const { parameters } = readRedirect(
      headerOf(await use(references[1] ?? '', changing), 'location'),
      changing.redirectUri,
    );
    expect(Object.fromEntries(parameters)).toMatchObject({ error: 'unauthorized_client', state: 's' });
    await update({ status: 'disabled' });
    const disabled = await use(references[1] ?? '', changing);
    expect(disabled.body.toString()).toContain('<code>sign_in_not_enabled</code>');
  });
});

describe('a request_uri of another kind', () => {
  it.each(['https://shop.example/r', 'urn:other', 'URN:IETF:params:oauth:request_uri:x'])(
    'is request_uri_not_supported: %s',
    async (requestUri) => {
      const pairs = Object.entries(requestOf(client, { request_uri: requestUri, state: 's' }));
      const reply = await getAuthorize(service.baseUrl, pairs);
      const { parameters } = readRedirect(headerOf(reply, 'location'), client.redirectUri);
      expect(Object.fromEntries(parameters)).toMatchObject({
        error: 'request_uri_not_supported',
        state: 's',
      });
    },
  );
});

describe('a client with require_pushed_authorization_requests', () => {
  it.each([
    ['query', {}],
    ['fragment', { response_mode: 'fragment' }],
  ])('is told invalid_request about a direct request: by %s', async (mode, more: Form) => {
    const pairs = Object.entries(requestOf(strict, { state: 's', nonce: 'n', ...more }));
    const reply = await getAuthorize(service.baseUrl, pairs);
    const redirected = readRedirect(headerOf(reply, 'location'), strict.redirectUri);
    expect(redirected.mode).toBe(mode);
    expect(redirected.parameters).toEqual([
      ['error', 'invalid_request'],
      ['error_description', 'This client must push its requests.'],
      ['state', 's'],
      ['iss', service.baseUrl],
    ]);
  });

  it('signs people in with pushed requests', async () => {
    await expectBegun(await use(await push({ nonce: 'n' }, strict), strict));
  });

  it('is refused at /v1/mobile-auth, where a request cannot be a pushed one', async () => {
    const send = async (members: Form): Promise<unknown> => {
      const response = await fetch(`${service.baseUrl}/v1/mobile-auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(members),
      });
      return [response.status, await response.json()];
    };
    const text = 'This client must push its requests.';
    expect(await send(requestOf(strict, { nonce: '0x01' }))).toEqual([
      400,
      errorBody('invalid_request', 'invalid_request', text),
    ]);
    const reference = await push({ nonce: '0x01' }, strict);
    const byReference = await send({ client_id: strict.clientId, request_uri: reference });
    expect(byReference).toMatchObject([400, { code: 'required', attribute: 'redirect_uri' }]);
    await expectBegun(await use(reference, strict));
  });
});
