// Rules: spec/sign-in.md#use-of-a-pushed-request
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';
import { getAuthorize, readRedirect } from '../support/authorize-client.ts';
import { basicOf } from '../support/back-channel.ts';

/** The session of a person, as its browser sends it. */
let session: string;

const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
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

function parametersOf(reply: RawResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(readRedirect(headerOf(reply, 'location'), service.web.redirectUri).parameters);
}

describe('a pushed request that a session answers', () => {
  it.each([
    ['code', {}],
    ['id_token', { response_type: 'id_token', nonce: 'n' }],
  ])('is answered once, with type %s', async (type, more) => {
    const reference = await push(more);
    const replies = [await use(reference), await use(reference)];
    expect(replies.map(({ status }) => status)).toEqual([303, 400]);
    expect(Object.keys(parametersOf(replies[0] as RawResponse))).toEqual([type, 'state', 'iss']);
    expect(replies[1]?.body.toString()).toContain('<code>invalid_request_uri</code>');
  });

  it.each([
    ['code', {}],
    ['id_token', { response_type: 'id_token', nonce: 'n' }],
  ])('is answered once when several requests come at once, with type %s', async (_type, more) => {
    const before = (await service.store.rowCounts()).authorization_codes ?? 0;
    const reference = await push(more);
    const replies = await Promise.all(Array.from({ length: 4 }, () => use(reference)));
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400]);
    const codes = (await service.store.rowCounts()).authorization_codes ?? 0;
    expect(codes - before).toBe('response_type' in more ? 0 : 1);
  });

  it('is not used up by login_required, which a browser without the session gets', async () => {
    const reference = await push();
    expect(parametersOf(await use(reference, []))).toMatchObject({ error: 'login_required', state: 's' });
    expect(parametersOf(await use(reference))).toHaveProperty('code');
  });
});
