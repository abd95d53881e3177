/**
 * Modules of the conformance suite of the OpenID Foundation, by name (spec/sign-in.md#openid-conformance).
 */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { conformanceClient, NONCE, PLANS, TYPES } from '../support/interop/conformance.ts';
import { startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import { startApp } from '../support/server/start-app.ts';
import { authorize, readAnswer, type SignInAnswer, type SignInParameters } from '../support/signin/driver.ts';

let sub: string;
let clockMs = Date.now();
const now = (): number => clockMs;
const interop = opened(() => startInterop({ now }), 'end');
const rp = opened(() => conformanceClient(interop.issuer, interop.web, now));
beforeAll(async () => {
  sub = await interop.subFor();
});

const signIn = (parameters: SignInParameters = {}): Promise<SignInAnswer> =>
  interop.service.complete(parameters);

/** Authorization response without a sign-in. */
async function refusal(parameters: SignInParameters): Promise<SignInAnswer> {
  const { clientId: client_id, redirectUri: redirect_uri } = interop.web;
  return await readAnswer(
    await authorize(interop.issuer, { client_id, redirect_uri, scope: 'openid', ...parameters }),
  );
}

/** Signs in with a code and redeems it. */
async function signInByCode(parameters: SignInParameters = {}) {
  const { code } = (await signIn(parameters)).parameters;
  const { status, body } = await rp.redeem(code);
  expect(status).toBe(200);
  return { body, claims: await rp.readIdToken({ ...body, code: undefined }, parameters.nonce) };
}

/** Checks every part of an authorization response, and the tokens for its code. */
async function expectWholeSignIn({ parameters }: SignInAnswer, type: string, inBody = false): Promise<void> {
  const words = type.split(' ');
  expect(parameters.iss).toBe(interop.issuer);
  for (const [name, word] of [
    ['code', 'code'],
    ['access_token', 'token'],
    ['id_token', 'id_token'],
  ] as const) {
    expect([name, parameters[name] !== undefined]).toEqual([name, words.includes(word)]);
  }
  if (parameters.id_token !== undefined) {
    expect(await rp.readIdToken(parameters, NONCE)).toMatchObject({ sub });
  }
  if (parameters.access_token !== undefined) {
    expect((await rp.userinfo(parameters.access_token)).body).toMatchObject({ sub });
  }
  if (parameters.code === undefined) return;
  const { status, body, headers } = await rp.redeem(parameters.code, { inBody });
  expect([status, headers.get('cache-control'), body.token_type]).toEqual([200, 'no-store', 'Bearer']);
  // no c_hash at /token, even though a code was redeemed
  const { id_token, access_token } = body;
  expect(await rp.readIdToken({ id_token, access_token }, NONCE)).toMatchObject({ sub });
  expect((await rp.userinfo(access_token)).body).toMatchObject({ sub });
}

describe('conformance: sign-ins', () => {
  it.each(PLANS)(
    'oidcc-server and -idtoken-signature, also of the form-post plans: %s by %s',
    async (response_type, response_mode) => {
      const answer = await signIn({ response_type, response_mode, nonce: NONCE, state: 'st' });
      expect([answer.mode, answer.parameters.state]).toEqual([response_mode, 'st']);
      // the form is posted to the redirect URI itself
      if (response_mode === 'form_post') expect(answer.url).toBe(interop.web.redirectUri);
      await expectWholeSignIn(answer, response_type);
    },
  );

  it.each(TYPES)('oidcc-alternate-happy-flow: %s with parameters in another order', async (type) => {
    const { clientId, redirectUri } = interop.web;
    const { origin, pathname } = new URL(`${interop.issuer}/authorize`);
    const query = new URLSearchParams([
      ['nonce', NONCE],
      ['scope', 'email openid'],
      ['state', 'st'],
      ['redirect_uri', redirectUri],
      ['client_id', clientId],
      ['response_type', type.split(' ').reverse().join(' ')],
    ]);
    const answer = await interop.browser.signIn(`${origin}${pathname}?${query}`);
    await expectWholeSignIn(answer, type);
  });

  it.each(TYPES.filter((type) => type.includes('code')))(
    'oidcc-server-client-secret-post: %s',
    async (response_type) => {
      const answer = await signIn({ response_type, nonce: NONCE });
      await expectWholeSignIn(answer, response_type, true);
    },
  );

  it('oidcc-userinfo-get, -userinfo-post-header and -userinfo-post-body', async () => {
    const { body, claims } = await signInByCode();
    expect(await rp.userinfo(body.access_token)).toMatchObject({ status: 200, body: { sub: claims.sub } });
    const headers = { authorization: `Bearer ${String(body.access_token)}` };
    expect(await rp.userinfo('', { method: 'POST', headers })).toMatchObject({
      status: 200,
      body: { sub: claims.sub },
    });
    const inBody = new URLSearchParams({ access_token: String(body.access_token) });
    const refused = await rp.userinfo('', { method: 'POST', headers: {}, body: inBody });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining(`Bearer realm="${interop.issuer}", DPoP algs="`),
    ]);
  });

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { claims } = await signInByCode();
    expect(claims).not.toHaveProperty('nonce');
  });

  it('oidcc-scope-email and -scope-profile', async () => {
    const email = { email: `${sub}@${new URL(interop.issuer).hostname}` };
    const profile = { name: 'World ID User', given_name: 'World ID', family_name: 'User' };
    for (const [scope, has, hasNot] of [
      ['openid email', email, profile],
      ['openid profile', profile, email],
    ] as const) {
      const { body, claims } = await signInByCode({ scope });
      const userinfo = (await rp.userinfo(body.access_token)).body;
      for (const seen of [claims, userinfo]) {
        expect(seen).toMatchObject(has);
        expect(Object.keys(seen).filter((name) => name in hasNot)).toEqual([]);
      }
    }
  });

  it.each([
    ['display-page', { display: 'page' }],
    ['display-popup', { display: 'popup' }],
    ['ui-locales', { ui_locales: 'se' }],
    ['claims-locales', { claims_locales: 'se' }],
    ['login-hint', { login_hint: 'buffy@shop.example' }],
    ['claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
  ])('oidcc-%s', async (_name, parameters) => {
    expect((await signInByCode(parameters)).claims.sub).toBe(sub);
  });

  it('oidcc-id-token-hint, its hint alone', async () => {
    const { body } = await signInByCode();
    expect((await signInByCode({ id_token_hint: String(body.id_token) })).claims.sub).toBe(sub);
  });

  it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { claims } = await signInByCode({ acr_values: 'orb device' });
    expect(['orb', 'device']).toContain(claims.acr);
  });

  it.each([
    ['prompt-login', { prompt: 'login' }],
    ['max-age-1', { max_age: '1' }],
  ])('oidcc-%s: the second sign-in authenticates again', async (_name, parameters) => {
    const first = await signInByCode();
    clockMs += 2000;
    const second = await signInByCode(parameters);
    expect(Number(second.claims.auth_time)).toBe(Number(first.claims.auth_time) + 2);
    expect(second.claims.sub).toBe(first.claims.sub);
  });

  it.each([
    ['codereuse', 0],
    ['codereuse-30seconds', 30_000],
  ])('oidcc-%s', async (_name, laterMs) => {
    const { code } = (await signIn()).parameters;
    const { body } = await rp.redeem(code);
    expect((await rp.userinfo(body.access_token)).status).toBe(200);
    clockMs += laterMs;
    expect(await rp.redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await rp.userinfo(body.access_token)).status).toBe(401);
  });

  it('oidcc-ensure-post-request-succeeds', async () => {
    const { clientId: client_id, redirectUri: redirect_uri } = interop.web;
    const form = { response_type: 'code', scope: 'openid', client_id, redirect_uri, nonce: NONCE };
    await expectWholeSignIn(await interop.browser.signIn(`${interop.issuer}/authorize`, {}, form), 'code');
  });

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    // RFC 7636, appendix B
    const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const answer = await signIn({
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    expect((await rp.redeem(answer.parameters.code, { codeVerifier })).status).toBe(200);
  });
});

describe('conformance: refusals', () => {
  it.each([
    ['the query', {}, 'query'],
    ['a form when one was requested', { response_mode: 'form_post' }, 'form_post'],
  ])('oidcc-response-type-missing: by %s', async (_name, parameters, mode) => {
    expect(await refusal({ ...parameters, state: 'st' })).toEqual({
      mode,
      url: expect.stringContaining(interop.web.redirectUri),
      parameters: {
        error: 'invalid_request',
        error_description: 'response_type: This attribute is required.',
        state: 'st',
        iss: interop.issuer,
      },
    });
  });

  it.each(TYPES.filter((type) => type.includes('id_token')))(
    'oidcc-ensure-request-without-nonce-fails: %s',
    async (response_type) => {
      const { mode, parameters } = await refusal({ response_type, state: 'st' });
      expect([mode, parameters.error, parameters.state]).toEqual(['fragment', 'invalid_request', 'st']);
    },
  );

  it('oidcc-prompt-none-not-logged-in', async () => {
    const state = 'aA0-'.repeat(32);
    const { mode, parameters } = await refusal({ response_type: 'code', prompt: 'none', state });
    expect(mode).toBe('query');
    expect(parameters).toMatchObject({ error: 'login_required', state, iss: interop.issuer });
  });

  it('oidcc-prompt-none-logged-in, -max-age-10000 and -id-token-hint: login_required while sessions are off', async () => {
    const { body } = await signInByCode();
    for (const more of [{}, { max_age: '10000' }, { id_token_hint: String(body.id_token) }]) {
      const { parameters } = await refusal({ response_type: 'code', prompt: 'none', ...more });
      expect(parameters.error).toBe('login_required');
    }
  });

  it.each([
    ['ensure-registered-redirect-uri', {}],
    ['ensure-request-object-with-redirect-uri', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
  ])('oidcc-%s: an error page without a redirect', async (_name, more) => {
    const response = await authorize(interop.issuer, {
      client_id: interop.web.clientId,
      redirect_uri: `${interop.web.redirectUri}/unregistered`,
      response_type: 'code',
      scope: 'openid',
      ...more,
    });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('Invalid redirect URI.');
  });

  it.each([
    ['unsigned-request-object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['request-uri-unsigned', { request_uri: 'https://shop.example/r' }, 'request_uri_not_supported'],
  ])('oidcc-%s-supported-correctly-or-rejected-as-unsupported', async (_name, more, error) => {
    const { parameters } = await refusal({ response_type: 'code', state: 'st', ...more });
    expect(parameters).toMatchObject({ error, state: 'st' });
  });
});

describe('conformance: metadata', () => {
  it('oidcc-discovery-endpoint-verification, advertising none of the features that the suite skips if absent', async () => {
    const issuer = 'https://localhost:8443';
    const app = await startApp({ settings: { baseUrl: issuer } });
    onTestFinished(async () => void (await app.stop()));
    const read = async (path: string): Promise<Record<string, unknown>> =>
      (await (await fetch(`${app.publicUrl}${path}`)).json()) as Record<string, unknown>;
    const document = await read('/.well-known/openid-configuration');
    expect(document.issuer).toBe(issuer);
    const endpoints = Object.entries(document).filter(([name]) => /_(?:endpoint|uri)$/.test(name));
    expect(endpoints.map(([name]) => name)).toEqual(
      expect.arrayContaining(['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']),
    );
    for (const [, url] of endpoints) expect(String(url)).toMatch(/^https:\/\/localhost:8443\//);
    expect(document.response_types_supported).toEqual(expect.arrayContaining([...TYPES]));
    expect(document.scopes_supported).toEqual(['openid', 'email', 'profile', 'offline_access']);
    expect(document.claims_supported).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time', 'acr']));
    expect(document.id_token_signing_alg_values_supported).toEqual(['RS256', 'RSA']);
    // these values make the suite skip oidcc-idtoken-unsigned, -refresh-token, -scope-address, -scope-phone
    // and -scope-all
    expect(document.grant_types_supported).toEqual(['authorization_code', 'implicit', 'refresh_token']);
    const { keys } = (await read('/jwks')) as { keys: Record<string, unknown>[] };
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' });
    }
  });
});
