import * as client from 'openid-client';
import { type Client, Issuer } from 'openid-client-5';
import { describe, expect, it } from 'vitest';
import { callbackOf, failureOf, startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';

const interop = opened(startInterop, 'end');
const shop = opened(() =>
  interop.service.addClient({ redirectUris: ['https://shop.example/cb?shop=1&shop=2'] }),
);

const STATES: readonly (readonly [name: string, state: string])[] = [
  ['10 kB', 'abcdefghij'.repeat(1000)],
  ['10 kB of UTF-8', '\u{1f642}\u00e9\u4e2d'.repeat(1100)],
  ['every ASCII character, including U+0000', String.fromCharCode(...Array(128).keys())],
  ['text that looks like parameters', 'a=1&state=2&code=3#iss=4;%26+%2B "<\'>'],
];
const CASES = STATES.flatMap(([name, state]) => [
  { name, state, method: 'GET' },
  { name, state, method: 'POST' },
]);

describe('the state of a relying party', () => {
  it.each(CASES)('is returned unchanged: $name, sent by $method', async ({ state, method }) => {
    const { web, issuer } = interop;
    const config = await client.discovery(new URL(issuer), web.clientId, web.clientSecret, undefined, {
      execute: [client.allowInsecureRequests],
    });
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: web.redirectUri,
      scope: 'openid',
      state,
    });
    const answer =
      method === 'GET'
        ? await interop.browser.signIn(url.href)
        : await interop.browser.signIn(`${issuer}/authorize`, {}, Object.fromEntries(url.searchParams));
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), { expectedState: state });
    expect(tokens.claims()?.sub).toBe(await interop.subFor());
  });
});

describe('a redirect URI with a query', () => {
  async function openIdClient5(): Promise<Client> {
    const issuer = await Issuer.discover(interop.issuer);
    return new issuer.Client({ client_id: shop.clientId, client_secret: shop.clientSecret });
  }

  it.each([
    ['query', 'code'],
    ['fragment', 'code id_token'],
    ['form_post', 'code id_token'],
  ])('is kept by %s, and openid-client 5 signs in with it', async (response_mode, response_type) => {
    const rp = await openIdClient5();
    const checks = { response_type, nonce: 'n', state: 'st' };
    const url = rp.authorizationUrl({ ...checks, response_mode, redirect_uri: shop.redirectUri });
    const answer = await interop.browser.signIn(url);
    expect(new URL(answer.url).searchParams.getAll('shop')).toEqual(['1', '2']);
    const { code = '', id_token, iss, state } = answer.parameters;
    const parameters = {
      code,
      ...(id_token === undefined ? {} : { id_token }),
      iss: iss ?? '',
      state: state ?? '',
    };
    const tokens = await rp.callback(shop.redirectUri, parameters, checks);
    expect(tokens.claims().sub).toBe(await interop.subFor(shop));
  });

  it('is sent without its query by openid-client 6, which gets an error that says so', async () => {
    const { clientId, clientSecret, redirectUri } = shop;
    const config = await client.discovery(new URL(interop.issuer), clientId, clientSecret, undefined, {
      execute: [client.allowInsecureRequests],
    });
    const url = client.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope: 'openid' });
    const answer = await interop.browser.signIn(url.href);
    const failure = await failureOf(client.authorizationCodeGrant(config, callbackOf(answer)));
    expect(failure).toMatchObject({
      error: 'invalid_grant',
      error_description: 'redirect_uri differs from the one of the authorization request.',
    });
  });
});
