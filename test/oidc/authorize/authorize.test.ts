import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../../support/opened.ts';
import { startAppOfTest } from '../../support/server/app-of-test.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { addClient, type TestClient } from '../../support/signin/clients.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import { pollUntil } from '../../support/until.ts';
import {
  encode,
  getAuthorize,
  having,
  type Pairs,
  postAuthorize,
  readRedirect,
  without,
} from '../support/authorize-client.ts';

let base: Pairs;

const service = opened(useSharedSignin);
const client = opened(() => service.addClient({ redirectUris: ['https://shop.example/cb'] }));
beforeAll(async () => {
  base = requestOf(client);
});

function requestOf({ clientId, redirectUri }: TestClient): Pairs {
  return [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['scope', 'openid'],
  ];
}

/** Expects that a request was accepted; returns the transaction id in the path of its page. */
function expectBegun(reply: RawResponse, baseUrl: string): string {
  expect(reply.status).toBe(303);
  const location = headerOf(reply, 'location') ?? '';
  expect(location.startsWith(`${baseUrl}/authorize/`)).toBe(true);
  const txn = location.slice(`${baseUrl}/authorize/`.length);
  expect(txn).toMatch(/^[A-Za-z0-9_-]{43}$/);
  return txn;
}

describe('/authorize, an accepted request', () => {
  it.each(['GET', 'POST'])(
    'by %s redirects to the page of a new sign-in with its own cookie',
    async (method) => {
      const send = method === 'GET' ? getAuthorize : postAuthorize;
      const replies = [await send(service.baseUrl, base), await send(service.baseUrl, base)];
      const pages = new Set<string>();
      for (const reply of replies) {
        const txn = expectBegun(reply, service.baseUrl);
        pages.add(txn);
        const [cookie = '', ...attributes] = (headerOf(reply, 'set-cookie') ?? '').split('; ');
        expect(cookie).toMatch(/^__Host-pg_txn_[A-Za-z0-9_-]{16}=[A-Za-z0-9_-]{43}$/);
        expect(cookie.slice(0, '__Host-pg_txn_'.length + 16)).toBe(`__Host-pg_txn_${txn.slice(0, 16)}`);
        expect(attributes).toEqual(['Path=/', 'Max-Age=900', 'HttpOnly', 'SameSite=Lax', 'Secure']);
        expect(headerOf(reply, 'cache-control')).toBe('no-store');
        expect(headerOf(reply, 'pragma')).toBe('no-cache');
        expect(headerOf(reply, 'referrer-policy')).toBe('no-referrer');
        const row = await service.store.transactions.find(txn, Date.now());
        const value = cookie.split('=')[1] ?? '';
        expect(row?.cookieHash).toEqual(Uint8Array.from(createHash('sha256').update(value).digest()));
      }
      expect(pages.size).toBe(2);
    },
  );

  it('keeps the path of an https base address, with a cookie of the whole host', async () => {
    const app = await startAppOfTest({ settings: { baseUrl: 'https://id.example/sign/in' } });
    const store = await app.openStore();
    onTestFinished(() => store.close());
    const added = await addClient(store);
    const { port } = new URL(app.publicUrl);
    const reply = await getAuthorize(`http://127.0.0.1:${port}/sign/in`, requestOf(added));
    expectBegun(reply, 'https://id.example/sign/in');
    const attributes = (headerOf(reply, 'set-cookie') ?? '').split('; ').slice(1);
    expect(attributes).toEqual(['Path=/', 'Max-Age=900', 'HttpOnly', 'SameSite=Lax', 'Secure']);
    const refused = await getAuthorize(`http://127.0.0.1:${port}`, requestOf(added));
    expect(refused.status).toBe(404);
  });

  it('by POST is read from the body alone, not from the query', async () => {
    const query = `?${encode([
      ['client_id', 'x'],
      ['client_id', 'y'],
      ['z', '1'],
    ])}&%zz`;
    const reply = await postAuthorize(
      service.baseUrl,
      base,
      ['Content-Type: Application/X-WWW-Form-Urlencoded ; charset=UTF-8'],
      query,
    );
    expectBegun(reply, service.baseUrl);
  });

  it('is stored with only what the response and the tokens need', async () => {
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const sent: Pairs = [
      ...having(
        having(base, 'scope', 'profile openid  unknown openid profile email'),
        'response_type',
        'id_token code',
      ),
      ['state', 's'],
      ['nonce', 'n'],
      ['code_challenge', challenge],
      ['code_challenge_method', 'S256'],
      ['login_hint', 'alice'],
      ['unknown', '1'],
      ['unknown', '2'],
    ];
    const txn = expectBegun(await getAuthorize(service.baseUrl, sent), service.baseUrl);
    const row = await service.store.transactions.find(txn, Date.now());
    expect(JSON.parse(row?.request ?? '')).toEqual({
      clientId: client.clientId,
      redirectUri: client.redirectUri,
      responseType: 'code id_token',
      responseMode: 'fragment',
      scope: ['profile', 'openid', 'email'],
      state: 's',
      nonce: 'n',
      codeChallenge: challenge,
      requiresOrb: false,
    });
  });

  it.each([
    ['code', 'code', 'query'],
    ['id_token', 'id_token', 'fragment'],
    ['token id_token', 'id_token token', 'fragment'],
    ['id_token token', 'id_token token', 'fragment'],
    ['code id_token', 'code id_token', 'fragment'],
    ['token code', 'code token', 'fragment'],
    ['token id_token code', 'code id_token token', 'fragment'],
    ['code code', 'code', 'query'],
  ])('response_type %s is stored as %s, with mode %s', async (sent, responseType, responseMode) => {
    const request = [...having(base, 'response_type', sent), ['nonce', 'n']] as Pairs;
    const txn = expectBegun(await getAuthorize(service.baseUrl, request), service.baseUrl);
    const row = await service.store.transactions.find(txn, Date.now());
    expect(JSON.parse(row?.request ?? '')).toMatchObject({ responseType, responseMode });
  });

  it.each(['Code', 'code,id_token', 'none', 'code foo', ' ', 'code\u00a0id_token'])(
    'response_type %j is refused as unsupported',
    async (type) => {
      const reply = await getAuthorize(service.baseUrl, having(base, 'response_type', type));
      expect(headerOf(reply, 'location')).toContain('error=unsupported_response_type');
    },
  );

  it('has its challenge checked but not stored if the response type has no code', async () => {
    const implicit = [...having(base, 'response_type', 'id_token'), ['nonce', 'n']] as Pairs;
    const good = [
      ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
      ['code_challenge_method', 'S256'],
    ] as const;
    const txn = expectBegun(await getAuthorize(service.baseUrl, [...implicit, ...good]), service.baseUrl);
    const row = await service.store.transactions.find(txn, Date.now());
    expect(JSON.parse(row?.request ?? '')).not.toHaveProperty('codeChallenge');
    const bad = await getAuthorize(service.baseUrl, [...implicit, ['code_challenge', 'short']]);
    expect(headerOf(bad, 'location')).toContain('error=invalid_request');
  });

  it.each([
    ['orb', true],
    ['urn:x orb', true],
    ['orb device', false],
    ['device', false],
    ['ORB', false],
    ['urn:x', false],
  ])('acr_values %s requires an orb: %s', async (acrValues, requiresOrb) => {
    const txn = expectBegun(
      await getAuthorize(service.baseUrl, [...base, ['acr_values', acrValues]]),
      service.baseUrl,
    );
    const row = await service.store.transactions.find(txn, Date.now());
    expect(JSON.parse(row?.request ?? '')).toMatchObject({ requiresOrb });
  });

  // parameters that are accepted and ignored, and those that a fresh proof satisfies
  // (spec/sign-in.md#openid-conformance)
  it.each([
    ['display', 'popup'],
    ['ui_locales', 'se'],
    ['claims_locales', 'se'],
    ['login_hint', 'alice'],
    ['claims', '{"userinfo":{"name":{"essential":true}}}'],
    ['extra', 'foobar'],
    ['max_age', '1'],
    ['max_age', '0'],
    ['max_age', '10000'],
    ['prompt', 'login'],
    ['prompt', 'consent select_account'],
    ['prompt', ''],
    ['request', ''],
    ['scope', 'address openid phone'],
  ])('may contain %s=%s', async (name, value) => {
    expectBegun(await getAuthorize(service.baseUrl, having(base, name, value)), service.baseUrl);
  });

  it('needs no nonce without an ID token, unless the nonce is the signal', async () => {
    expectBegun(
      await getAuthorize(service.baseUrl, having(base, 'response_type', 'code token')),
      service.baseUrl,
    );
    const wallet = await service.addClient({ signalIsNonce: true });
    const reply = await getAuthorize(service.baseUrl, requestOf(wallet));
    expect(readRedirect(headerOf(reply, 'location'), wallet.redirectUri).parameters).toContainEqual([
      'error_description',
      'nonce: This attribute is required.',
    ]);
  });

  it('for a code needs a challenge if the client is public', async () => {
    const { native } = service;
    const reply = await getAuthorize(service.baseUrl, requestOf(native));
    expect(headerOf(reply, 'location')).toContain('error=invalid_request');
    const implicit = [...having(requestOf(native), 'response_type', 'id_token'), ['nonce', 'n']] as Pairs;
    expectBegun(await getAuthorize(service.baseUrl, implicit), service.baseUrl);
  });

  it('of a native client may name any port of a registered loopback address', async () => {
    const { native } = service;
    const uri = 'http://127.0.0.1:51004/cb';
    const at = (redirectUri: string): Pairs =>
      [...having(requestOf(native), 'redirect_uri', redirectUri), ['prompt', 'none']] as Pairs;
    const reply = await getAuthorize(service.baseUrl, at(uri));
    expect(readRedirect(headerOf(reply, 'location'), uri).target).toBe(uri);
    for (const other of ['http://127.0.0.1:51004/cc', 'http://127.0.0.2:51004/cb', 'http://127.0.0.1:0/cb']) {
      const refused = await getAuthorize(service.baseUrl, at(other));
      expect([refused.status, headerOf(refused, 'location')]).toEqual([400, undefined]);
    }
  });

  it('may come from an app that was added while the service runs, until the app is disabled', async () => {
    let now = Date.now();
    const own = await startSigninOfTest({ now: () => now });
    const added = await own.addClient();
    expectBegun(await getAuthorize(own.baseUrl, requestOf(added)), own.baseUrl);
    await own.store.apps.update(added.clientId, { status: 'disabled' }, now);
    now += 6000;
    const reply = await getAuthorize(own.baseUrl, requestOf(added), ['Accept: application/json']);
    expect(JSON.parse(reply.body.toString())).toMatchObject({ code: 'sign_in_not_enabled' });
  });
});

describe('/authorize, the response mode of an error', () => {
  const types: [type: string | undefined, usual: string][] = [
    [undefined, 'query'],
    ['', 'query'],
    ['code', 'query'],
    ['foo', 'query'],
    ['code_token', 'query'],
    ['ID_TOKEN', 'query'],
    ['token', 'fragment'],
    ['foo token', 'fragment'],
    ['id_token', 'fragment'],
    ['code id_token', 'fragment'],
  ];
  it.each(types)('is, for response_type %j, %s, unless the request chooses another', async (type, usual) => {
    const typed = type === undefined ? without(base, 'response_type') : having(base, 'response_type', type);
    const request: Pairs = [...typed, ['prompt', 'none']];
    const modeOf = async (pairs: Pairs): Promise<string> => {
      const reply = await getAuthorize(service.baseUrl, pairs);
      if (reply.status === 200) return 'form_post';
      return readRedirect(headerOf(reply, 'location'), client.redirectUri).mode;
    };
    expect(await modeOf(request)).toBe(usual);
    expect(await modeOf(having(request, 'response_mode', 'fragment'))).toBe('fragment');
    expect(await modeOf(having(request, 'response_mode', 'form_post'))).toBe('form_post');
    expect(await modeOf(having(request, 'response_mode', 'query'))).toBe(usual);
    expect(await modeOf(having(request, 'response_mode', 'Query'))).toBe(usual);
  });
});

describe('/authorize, the redirect URI of a response', () => {
  it.each([
    ['https://rp.example', 'https://rp.example?'],
    ['https://rp.example/cb?a=1&b=%20%2f', 'https://rp.example/cb?a=1&b=%20%2f&'],
    ['https://rp.example/cb?', 'https://rp.example/cb?&'],
    ["https://RP.example/c'b;x=(1)/", "https://RP.example/c'b;x=(1)/?"],
  ])('keeps %s byte for byte', async (uri, start) => {
    const added = await service.addClient({ redirectUris: [uri] });
    const reply = await getAuthorize(service.baseUrl, [...requestOf(added), ['prompt', 'none']]);
    expect(
      headerOf(reply, 'location')?.startsWith(`${start}error=login_required&error_description=The%20person`),
    ).toBe(true);
    const fragment = await getAuthorize(service.baseUrl, [
      ...requestOf(added),
      ['prompt', 'none'],
      ['response_mode', 'fragment'],
    ]);
    expect(headerOf(fragment, 'location')?.startsWith(`${uri}#error=login_required&`)).toBe(true);
  });

  it('may have a private scheme', async () => {
    const { native } = service;
    const pairs = having(requestOf(native), 'redirect_uri', 'com.example.shop:/cb');
    const reply = await getAuthorize(service.baseUrl, [...pairs, ['prompt', 'none']]);
    expect(headerOf(reply, 'location')).toMatch(/^com\.example\.shop:\/cb\?error=invalid_request&/);
  });
});

describe('/authorize, the state', () => {
  const states: [name: string, state: string][] = [
    ['a letter', 's'],
    ['128 characters', 'x'.repeat(128)],
    ['10 kB', 'ä1 '.repeat(2500)],
    ['30 kB', 'x'.repeat(30_000)],
    ['every ASCII character', String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))],
    ['U+0000 alone', '\0'],
    ['characters beyond the BMP', '🙂\u{10ffff}\uffff\ufeff\u2028'],
    ['what looks like more parameters', 'a&code=1#x=%41+%2B?iss=https://evil.example'],
    ['HTML', `"><script>alert('1')</script>&amp;`],
  ];
  it.each(states)('of %s is returned unchanged, by GET and by POST', async (_name, state) => {
    const request: Pairs = [...base, ['prompt', 'none'], ['state', state]];
    for (const mode of ['query', 'fragment']) {
      const pairs = having(request, 'response_mode', mode);
      for (const reply of [
        await getAuthorize(service.baseUrl, pairs),
        await postAuthorize(service.baseUrl, pairs),
      ]) {
        const location = headerOf(reply, 'location') ?? '';
        const { parameters } = readRedirect(location, client.redirectUri);
        expect(parameters.map(([name]) => name)).toEqual(['error', 'error_description', 'state', 'iss']);
        expect(parameters[2]?.[1]).toBe(state);
        // as form decoders read it, which decode + as a space
        const form = new URLSearchParams(location.slice(client.redirectUri.length + 1));
        expect(form.get('state')).toBe(state);
      }
    }
  });

  it.each(states.filter(([, state]) => state.length < 20_000))(
    'of %s is stored for the sign-in',
    async (_name, state) => {
      const pairs: Pairs = [...base, ['state', state], ['nonce', state.slice(0, 500)]];
      const txn = expectBegun(await getAuthorize(service.baseUrl, pairs), service.baseUrl);
      const row = await service.store.transactions.find(txn, Date.now());
      expect(JSON.parse(row?.request ?? '')).toMatchObject({ state, nonce: state.slice(0, 500) });
    },
  );

  it('is absent from the response if none or an empty one was sent', async () => {
    for (const pairs of [base, having(base, 'state', '')]) {
      const reply = await getAuthorize(service.baseUrl, [...pairs, ['prompt', 'none']]);
      const { parameters } = readRedirect(headerOf(reply, 'location'), client.redirectUri);
      expect(parameters.map(([name]) => name)).toEqual(['error', 'error_description', 'iss']);
    }
  });

  it('may encode a space as + or %20', async () => {
    const pairs = `${encode([...base, ['prompt', 'none']])}&state=a+b%20c%2b`;
    const reply = await getAuthorize(service.baseUrl, pairs);
    expect(headerOf(reply, 'location')).toContain('&state=a%20b%20c%2B&');
  });

  it('is never logged, nor are nonce and redirect URI; client and error code are', async () => {
    const before = service.app.log().length;
    const planted: Pairs = [...base, ['state', 'planted-state'], ['nonce', 'planted-nonce']];
    await getAuthorize(service.baseUrl, planted);
    await getAuthorize(service.baseUrl, [...planted, ['prompt', 'none']]);
    await getAuthorize(service.baseUrl, having(planted, 'redirect_uri', 'https://planted.example'));
    const lines = (): string => service.app.log().slice(before);
    const ofClient = (): number => lines().split(`"clientId":"${client.clientId}"`).length - 1;
    // Lines of several front ends come in any order.
    await pollUntil(() => lines().includes('authorize.redirect_uri_unknown') && ofClient() >= 3);
    expect(lines()).not.toContain('planted');
    expect(lines()).not.toContain('shop.example');
    expect(lines()).toContain('"code":"authorize.login_required"');
  });
});
