// Rules: spec/sign-in.md#use-of-a-pushed-request
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';
import { getAuthorize, readRedirect } from '../support/authorize-client.ts';
import { basicOf } from '../support/back-channel.ts';

/** The session of a person, as its browser sends it. */
let session: string;

const LIFE_MS = 600_000;
/** Longest life of a token, and of the call that gets it. */
const TOKENS_MS = 200_000;
const CODE_MS = 60_000;
let now = Date.now();

const service = opened(
  () =>
    startSigninService({
      now: () => now,
      settings: {
        'signin.sessionSeconds': '3600',
        'signin.pushedRequestSeconds': String(LIFE_MS / 1000),
        'signin.accessTokenTtlSeconds': '60',
        'signin.idTokenTtlSeconds': '60',
      },
    }),
  'end',
);
beforeAll(async () => {
  session = await signInAndStay();
});

/** Signs a person in who agrees to stay signed in; returns the cookie of the session. */
async function signInAndStay(): Promise<string> {
  const signIn = await service.begin();
  await fetch(`${service.baseUrl}/authorize/${signIn.txn}/agree`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: signIn.cookie },
    body: new URLSearchParams({ stay: 'on' }),
  });
  await approve(signIn.connectUrl);
  await signIn.settle();
  const cookies = (await signIn.continue()).headers.getSetCookie();
  const [cookie] = cookies.filter((line) => line.startsWith('__Host-pg_session_'));
  if (cookie === undefined) throw new Error(`expected the cookie of a session, got ${cookies.join()}`);
  return cookie.split(';')[0] ?? '';
}

/** Pushes a request that must be answered without asking; returns its reference. */
async function push(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { clientId, clientSecret, redirectUri } = service.web;
  const response = await fetch(`${service.baseUrl}/par`, {
    method: 'POST',
    headers: { authorization: basicOf(clientId, clientSecret) },
    body: new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      prompt: 'none',
      state: 's',
      ...more,
    }),
  });
  return String(((await response.json()) as { readonly request_uri?: string }).request_uri);
}

function use(reference: string, headers: readonly string[] = [`Cookie: ${session}`]): Promise<RawResponse> {
  const query = [
    ['client_id', service.web.clientId],
    ['request_uri', reference],
  ] as const;
  return getAuthorize(service.baseUrl, query, headers);
}

/** Expects the refusal of a reference, and no redirect. */
function expectRefused(reply: RawResponse, text: string): void {
  expect([reply.status, headerOf(reply, 'location')]).toEqual([400, undefined]);
  expect(reply.body.toString()).toContain(text);
}

function expectUsed(reply: RawResponse): void {
  expectRefused(reply, 'The request_uri was used before.');
}

function parametersOf(reply: RawResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(readRedirect(headerOf(reply, 'location'), service.web.redirectUri).parameters);
}

describe('a pushed request that a session answers', () => {
  it.each([
    ['code', {}],
    ['id_token', { response_type: 'id_token', nonce: 'n' }],
  ])('is answered again for that session, and for no other, with type %s', async (type, more) => {
    const reference = await push(more);
    const [first, again] = [parametersOf(await use(reference)), parametersOf(await use(reference))];
    expect([Object.keys(first), Object.keys(again)]).toEqual(Array(2).fill([type, 'state', 'iss']));
    expect(again.code).toBe(first.code);
    for (const headers of [[], [`Cookie: ${await signInAndStay()}`]])
      expectUsed(await use(reference, headers));
    expect(parametersOf(await use(reference)).code).toBe(first.code);
    now += LIFE_MS;
    expectRefused(await use(reference), 'The request_uri has expired.');
  });

  it('gets another code once the first has expired, and none once one is redeemed', async () => {
    const reference = await push();
    const { code: first } = parametersOf(await use(reference));
    now += CODE_MS;
    const replies = await Promise.all(Array.from({ length: 4 }, () => use(reference)));
    const codes = [...new Set(replies.map((reply) => parametersOf(reply).code))];
    expect(codes).toHaveLength(1);
    expect(codes).not.toContain(first);
    expect((await redeemCode(service.baseUrl, service.web, first)).status).toBe(400);
    expect((await redeemCode(service.baseUrl, service.web, codes[0])).status).toBe(200);
    expectUsed(await use(reference));
    // The tokens and the record of their code may be gone before the reference expires.
    now += TOKENS_MS;
    await service.store.sweep(now, 1000);
    expectUsed(await use(reference));
  });

  it.each([
    ['code', {}],
    ['id_token', { response_type: 'id_token', nonce: 'n' }],
  ])('gets one code when several requests come at once, with type %s', async (_type, more) => {
    const before = (await service.store.rowCounts()).authorization_codes ?? 0;
    const reference = await push(more);
    const replies = await Promise.all(Array.from({ length: 4 }, () => use(reference)));
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    expect(new Set(replies.map((reply) => parametersOf(reply).code)).size).toBe(1);
    const codes = (await service.store.rowCounts()).authorization_codes ?? 0;
    expect(codes - before).toBe('response_type' in more ? 0 : 1);
  });

  it('is not used up by login_required, which a browser without the session gets', async () => {
    const reference = await push();
    expect(parametersOf(await use(reference, []))).toMatchObject({ error: 'login_required', state: 's' });
    expect(parametersOf(await use(reference))).toHaveProperty('code');
  });
});
