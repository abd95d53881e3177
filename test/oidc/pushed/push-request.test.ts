// Rules: spec/sign-in.md#pushed-requests
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import {
  type BackChannel,
  basicOf,
  openBackChannel,
  REDIRECT_URI,
  type Reply,
  STARTED_AT,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import {
  badRequest,
  expectNoStore,
  expectRefusal,
  missing,
  REFUSALS,
  type Refusal,
  repeated,
  wrongMethod,
} from '../support/refusals.ts';

type Form = Readonly<Record<string, string>>;

const REFERENCE = /^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/;
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const service = opened(() => openBackChannel({ 'rateLimits.clientAuthFailures': '0' }), 'stop');
const client = opened(() => service.addClient());

function requestOf({ id }: TestClient, more: Form = {}): Form {
  return { client_id: id, redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid', ...more };
}

function push(form: Form | string, by: TestClient = client, at: BackChannel = service): Promise<Reply> {
  return at.call('POST /par', { headers: { authorization: by.basic }, form });
}

/** Expects the reference of a pushed request; returns the row of the store. */
async function expectPushed(reply: Reply, at: BackChannel = service) {
  expect(reply.status).toBe(201);
  expect(Object.keys(reply.body)).toEqual(['request_uri', 'expires_in']);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expectNoStore(reply);
  const reference = String(reply.body.request_uri);
  expect(reference).toMatch(REFERENCE);
  const hash = new Uint8Array(createHash('sha256').update(reference).digest());
  const row = await at.store.pushedRequests.find(hash);
  if (row === undefined) throw new Error('the pushed request is not in the store');
  return row;
}

describe('POST /par', () => {
  it('answers with a reference of 32 random bytes and its lifetime', async () => {
    const replies = [await push(requestOf(client)), await push(requestOf(client))];
    for (const reply of replies) {
      const row = await expectPushed(reply);
      expect(reply.body.expires_in).toBe(90);
      expect(row).toMatchObject({ clientId: client.id, expiresAt: STARTED_AT + 90_000 });
    }
    expect(replies[0]?.body.request_uri).not.toBe(replies[1]?.body.request_uri);
  });

  it('takes the lifetime from the settings', async () => {
    const short = await startBackChannel({ 'signin.pushedRequestSeconds': '30' });
    const other = await short.addClient();
    const reply = await push(requestOf(other), other, short);
    expect(reply.body.expires_in).toBe(30);
    expect(await expectPushed(reply, short)).toMatchObject({ expiresAt: STARTED_AT + 30_000 });
  });

  it('stores the known parameters unchanged, without credentials and unknown ones', async () => {
    const state = '\0 a&b=c+d%20ä🙂"';
    const sent = requestOf(client, { state, nonce: 'n', display: 'popup', acr_values: 'orb device' });
    const more = { client_secret: client.secret, extra: 'x', client_assertion: 'y', prompt: '' };
    const reply = await service.call('POST /par', { form: { ...sent, ...more } });
    const { parameters } = await expectPushed(reply);
    expect(parameters).toMatch(/^[\x21-\x7e]*$/);
    expect(Object.fromEntries(new URLSearchParams(parameters))).toEqual(sent);
  });

  it('accepts public clients, and clients that authenticate by Basic or in the body', async () => {
    const open = await service.addClient({ tokenEndpointAuthMethod: 'none' });
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const bare = await service.call('POST /par', { form: requestOf(open, pkce) });
    expect(await expectPushed(bare)).toMatchObject({ clientId: open.id });
    await expectPushed(await push(requestOf(client)));
    const inBody = { form: { ...requestOf(client), client_secret: client.secret } };
    await expectPushed(await service.call('POST /par', inBody));
  });

  it('needs the client_id among the parameters, which must be that of the credentials', async () => {
    const { client_id: _, ...without } = requestOf(client);
    expectRefusal(await push(without), missing('client_id'));
    const other = await service.addClient();
    expectRefusal(
      await push(requestOf(other)),
      badRequest(
        'invalid_request',
        'client_id differs from the one of the Authorization header.',
        'client_id',
      ),
    );
    const secret = { client_secret: client.secret };
    expectRefusal(
      await service.call('POST /par', { form: { ...requestOf(other), ...secret } }),
      REFUSALS.wrongCredentials,
    );
  });

  const MODES = 'response_mode: expected query, fragment or form_post.';
  const NOT_ALONE = 'prompt=none cannot be combined with other values.';
  const UNPUSHABLE = 'The parameter request_uri cannot be pushed.';
  const UNKNOWN = `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`;
  /** The attribute of the refusal is the first parameter of the change. */
  const REFUSED: readonly [name: string, change: Form, text: string, error?: string, code?: string][] = [
    [
      'a redirect URI that is not registered',
      { redirect_uri: `${REDIRECT_URI}x` },
      'Invalid redirect URI.',
      'invalid_request',
      'invalid_redirect_uri',
    ],
    [
      'a response_type that does not exist',
      { response_type: 'token' },
      'The response_type is not supported.',
      'unsupported_response_type',
    ],
    ['a response_mode that does not exist', { response_mode: 'x' }, MODES],
    ['a scope without openid', { scope: 'email' }, 'The scope must include openid.', 'invalid_scope'],
    [
      'a challenge that is not of S256',
      { code_challenge: 'short', code_challenge_method: 'S256' },
      'transform algorithm not supported',
    ],
    ['a max_age that is no number', { max_age: '-1' }, 'max_age must be a non-negative integer.'],
    ['prompt=none with other values', { prompt: 'none login' }, NOT_ALONE],
    ...[
      ['a request object', 'request', 'a.b.c'],
      ['a registration', 'registration', '{}'],
    ].map(([name = '', parameter = '', value = '']): [string, Form, string, string] => [
      name,
      { [parameter]: value },
      `The parameter ${parameter} is not supported.`,
      `${parameter}_not_supported`,
    ]),
    ['a reference', { request_uri: UNKNOWN }, UNPUSHABLE],
    ['a request_uri of another kind', { request_uri: 'https://shop.example/r' }, UNPUSHABLE],
  ];

  it.each<[string, Form, Refusal]>([
    ['no redirect URI', { redirect_uri: '' }, missing('redirect_uri')],
    ['no response_type', { response_type: '' }, missing('response_type')],
    ['no scope', { scope: '' }, missing('scope')],
    ['an ID token without a nonce', { response_type: 'code id_token' }, missing('nonce')],
    ...REFUSED.map(([name, change, text, error = 'invalid_request', code]): [string, Form, Refusal] => [
      name,
      change,
      badRequest(error, text, Object.keys(change)[0], code),
    ]),
  ])('refuses %s at once, and stores nothing', async (_name, change, expected) => {
    const before = await service.store.rowCounts();
    expectRefusal(await push(requestOf(client, change)), expected);
    expect(await service.store.rowCounts()).toEqual(before);
  });

  it('refuses a response type that the client has not registered', async () => {
    const codeOnly = await service.addClient({ responseTypes: ['code'] });
    const form = requestOf(codeOnly, { response_type: 'id_token', nonce: 'n' });
    expectRefusal(
      await push(form, codeOnly),
      badRequest(
        'unauthorized_client',
        'The client is not registered for this response_type.',
        'response_type',
      ),
    );
  });

  it('refuses an app without redirect URIs, which signs nobody in', async () => {
    const verifier = await service.addClient({ redirectUris: [] });
    expectRefusal(
      await push(requestOf(verifier), verifier),
      badRequest(
        'unauthorized_client',
        'Sign-in is not enabled for this app.',
        'client_id',
        'sign_in_not_enabled',
      ),
    );
  });

  it('runs its checks in the specified order', async () => {
    const wrong = { authorization: basicOf(client.id, 'sk_wrong') };
    const large = `state=%zz${'a'.repeat(32_768)}`;
    const call = (line: string, form: string, contentType?: string): Promise<Reply> =>
      service.call(line, { headers: wrong, form, ...(contentType === undefined ? {} : { contentType }) });
    const put = await call('PUT /par', large, 'text/plain');
    expectRefusal(put, wrongMethod('PUT'));
    expect(put.headers.get('allow')).toBe('POST, OPTIONS');
    expectRefusal(await call('POST /par', large, 'application/json'), REFUSALS.notAForm);
    expectRefusal(await call('POST /par', large), REFUSALS.bodyTooLarge);
    expectRefusal(await call('POST /par', 'state=1&state=%zz'), REFUSALS.malformed);
    for (const name of ['state', 'client_secret', 'request_uri']) {
      expectRefusal(await call('POST /par', `${name}=1&${name}=2`), repeated(name));
    }
    expectRefusal(await call('POST /par', 'request_uri=x'), {
      ...REFUSALS.wrongCredentials,
      challenge: 'Basic realm="http://localhost:8080", charset="UTF-8"',
    });
    expectRefusal(
      await push('request_uri=x'),
      badRequest('invalid_request', 'The parameter request_uri cannot be pushed.', 'request_uri'),
    );
  });

  it('takes as much as the query of /authorize', async () => {
    const form = new URLSearchParams(requestOf(client)).toString();
    const ofLength = (bytes: number): string => `${form}&state=${'a'.repeat(bytes - form.length - 7)}`;
    await expectPushed(await push(ofLength(32_768)));
    expectRefusal(await push(ofLength(32_769)), REFUSALS.bodyTooLarge);
  });

  it('never logs parameters or the reference', async () => {
    const before = service.log().length;
    const reply = await push(requestOf(client, { state: 'planted-state', nonce: 'planted-nonce' }));
    await push(requestOf(client, { state: 'planted-state', scope: 'planted-scope' }));
    const lines = JSON.stringify(service.log().slice(before));
    expect(lines).toContain('"route":"/par"');
    expect(lines).toContain(client.id);
    expect(lines).not.toContain('planted');
    expect(lines).not.toContain(String(reply.body.request_uri).slice(-43));
    expect(lines).not.toContain('shop.example');
  });

  it('is rate-limited by address, and shares the limit of failed authentications', async () => {
    const limited = await startBackChannel({ 'rateLimits.par': '3', 'rateLimits.clientAuthFailures': '1' });
    const headers = { authorization: basicOf((await limited.addClient()).id, 'sk_wrong') };
    const statuses = [];
    for (let i = 0; i < 2; i++)
      statuses.push((await limited.call('POST /token', { headers, form: '' })).status);
    for (let i = 0; i < 3; i++)
      statuses.push((await limited.call('POST /par', { headers, form: '' })).status);
    expect(statuses).toEqual([401, 429, 429, 429, 429]);
    expectRefusal(await limited.call('POST /par', { contentType: '' }), REFUSALS.rateLimited);
  });
});

describe('POST /par, when too many sign-ins are open', () => {
  const refused = {
    status: 503,
    error: 'temporarily_unavailable',
    code: 'server_error',
    text: 'Too many sign-ins are open. Please try again later.',
  };
  const MIB = 1024 * 1024;

  it.each([
    ['over all clients, by number', { 'signin.maxPendingTransactions': '2' }, 'state', 2],
    [
      'of the client, by bytes',
      { 'signin.maxPendingBytes': String(MIB), 'signin.maxPendingPercentPerClient': '5' },
      'x'.repeat(25_000),
      2,
    ],
    ['of the network', { 'signin.maxBegunBytesPerNetwork': '60000' }, 'x'.repeat(25_000), 2],
  ])('%s, refuses with Retry-After until they have expired', async (_name, settings, state, room) => {
    const full = await startBackChannel(settings);
    const shop = await full.addClient();
    for (let i = 0; i < room; i++)
      await expectPushed(await push(requestOf(shop, { state }), shop, full), full);
    const reply = await push(requestOf(shop, { state }), shop, full);
    expectRefusal(reply, refused);
    expect(reply.headers.get('retry-after')).toBe('30');
    full.clock.now += 90_000 + 60_000;
    await expectPushed(await push(requestOf(shop, { state }), shop, full), full);
  });

  it('of one client, does not refuse another', async () => {
    const settings = { 'signin.maxPendingBytes': String(MIB), 'signin.maxPendingPercentPerClient': '3' };
    const full = await startBackChannel(settings);
    const [shop, other] = [await full.addClient(), await full.addClient()];
    const state = 'x'.repeat(25_000);
    await expectPushed(await push(requestOf(shop, { state }), shop, full), full);
    expectRefusal(await push(requestOf(shop, { state }), shop, full), refused);
    await expectPushed(await push(requestOf(other, { state }), other, full), full);
  });
});
