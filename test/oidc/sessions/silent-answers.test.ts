// Rules: spec/sign-in.md#sessions
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RESPONSE_TYPES } from '../../../src/config/apps/fields.ts';
import { opened } from '../../support/opened.ts';
import type { ClientOptions, TestClient } from '../../support/signin/clients.ts';
import { authorize, beginSignIn } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { sessionCookieOf } from '../../support/signin/stay.ts';
import { approve } from '../../support/test-wallet.ts';

const CHALLENGE = {
  code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  code_challenge_method: 'S256',
};

/** Kinds of client, and addresses at which each may ask to be answered. */
const CLIENTS: readonly [name: string, options: ClientOptions, claimed: boolean, addresses: string[]][] = [
  ['confidential web', {}, true, ['https://shop.example/cb', 'http://localhost:3999/cb']],
  ['public web', { tokenEndpointAuthMethod: 'none' }, true, ['https://spa.example/cb']],
  ['native, loopback', { applicationType: 'native' }, false, ['http://127.0.0.1/cb', 'http://[::1]/cb']],
  [
    'native and public, loopback',
    { applicationType: 'native', tokenEndpointAuthMethod: 'none' },
    false,
    ['http://localhost/cb', 'https://localhost/cb'],
  ],
  [
    'native, private scheme',
    { applicationType: 'native', tokenEndpointAuthMethod: 'none' },
    false,
    ['com.example.shop:/cb', 'com.example.shop://host/cb'],
  ],
  ['native, claimed https', { applicationType: 'native' }, true, ['https://app.example/cb']],
];

/** How the response types of a client came to be what they are. */
const LISTS: readonly [name: string, options: ClientOptions, named: boolean][] = [
  ['all by default', {}, false],
  ['all by name', { namesAllResponseTypes: true }, true],
  ['five by name', { responseTypes: RESPONSE_TYPES.slice(0, 5) }, true],
];
const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');

/** Signs a person in who stays, and returns the cookie of the session. */
async function stayAt({ clientId, redirectUri }: TestClient, redirect_uri = redirectUri): Promise<string> {
  const request = { response_type: 'code', scope: 'openid', client_id: clientId, redirect_uri, ...CHALLENGE };
  const signIn = await beginSignIn(service.baseUrl, request);
  await signIn.agree(['stay']);
  await approve(signIn.connectUrl);
  await signIn.settle();
  return sessionCookieOf(await signIn.continue());
}

/** Asks with a session, and says what the app or the person gets. */
async function ask(
  client: TestClient,
  cookie: string,
  more: Readonly<Record<string, string>>,
): Promise<'answered' | 'page' | string> {
  const url = `${service.baseUrl}/authorize?${new URLSearchParams({
    scope: 'openid',
    nonce: 'n',
    client_id: client.clientId,
    ...CHALLENGE,
    ...more,
  })}`;
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  const location = response.headers.get('location') ?? '';
  if (location.startsWith(`${service.baseUrl}/authorize/`)) return 'page';
  const parameters = new URLSearchParams(location.slice(location.search(/[?#]/) + 1));
  return parameters.get('error') ?? (/[?&#](?:code|id_token)=/.test(location) ? 'answered' : location);
}

describe.each(CLIENTS)('a client that is %s', (_, options, isClaimed, addresses) => {
  it.each(LISTS)('with response types %s is answered unseen as it may be', async (__, list, isNamed) => {
    const client = await service.addClient({ ...options, ...list, redirectUris: addresses });
    const cookie = await stayAt(client);
    for (const redirect_uri of addresses) {
      for (const response_type of list.responseTypes ?? RESPONSE_TYPES) {
        const may = isClaimed && (response_type === 'code' || isNamed);
        const got: string[] = [];
        for (const prompt of ['', 'none', 'login', 'consent']) {
          got.push(await ask(client, cookie, { response_type, redirect_uri, prompt }));
        }
        expect({ redirect_uri, response_type, got }).toEqual({
          redirect_uri,
          response_type,
          got: may
            ? ['answered', 'answered', 'page', 'page']
            : ['page', 'interaction_required', 'page', 'page'],
        });
      }
    }
  });

  it('hears login_required, as before, where no session would answer', async () => {
    const client = await service.addClient({ ...options, redirectUris: addresses });
    const cookie = await stayAt(client);
    const asked = { response_type: 'code', redirect_uri: client.redirectUri, prompt: 'none' };
    expect(await ask(client, 'a=b', asked)).toBe('login_required');
    expect(await ask(client, cookie, { ...asked, max_age: '0' })).toBe('login_required');
  });
});

it('a native client is not answered at another port than that of its sign-in', async () => {
  const client = await service.addClient({
    applicationType: 'native',
    redirectUris: ['http://127.0.0.1/cb'],
  });
  const cookie = await stayAt(client, 'http://127.0.0.1:40001/cb');
  const asked = { response_type: 'code', redirect_uri: 'http://127.0.0.1:49999/cb' };
  expect(await ask(client, cookie, asked)).toBe('page');
  expect(await ask(client, cookie, { ...asked, prompt: 'none' })).toBe('interaction_required');
});

describe('interaction_required', () => {
  it('goes to the app in the mode of its request, with state and iss', async () => {
    const client = await service.addClient();
    const cookie = await stayAt(client);
    const { clientId: client_id, redirectUri: redirect_uri } = client;
    const query = new URLSearchParams({
      response_type: 'id_token token',
      scope: 'openid',
      nonce: 'n',
      prompt: 'none',
      state: 's',
      client_id,
      redirect_uri,
    });
    const response = await fetch(`${service.baseUrl}/authorize?${query}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    const url = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toEqual({
      error: 'interaction_required',
      error_description: 'The person must be asked: this client is not answered without a page.',
      state: 's',
      iss: service.baseUrl,
    });
  });

  it('is never the answer to a browser without a session', async () => {
    const { clientId: client_id, redirectUri: redirect_uri } = service.native;
    const response = await authorize(service.baseUrl, {
      response_type: 'code',
      scope: 'openid',
      prompt: 'none',
      client_id,
      redirect_uri,
      ...CHALLENGE,
    });
    expect(response.headers.get('location')).toContain('error=login_required');
  });
});
