import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../src/errors/catalogue.ts';
import type { ErrorSpec } from '../../../src/errors/spec.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import { BODY_ROWS } from '../support/error-body-rows.ts';
import { REDIRECT_ROWS } from '../support/error-redirect-rows.ts';
import { call, type ErrorContext, type ErrorRow, request } from '../support/error-row.ts';

let context: ErrorContext;

beforeAll(async () => {
  const service = await useSharedSignin();
  const limits = ['authorize', 'token', 'introspect', 'revoke', 'bridge'];
  const tight = await startSigninService({
    settings: Object.fromEntries(limits.map((name) => [`rateLimits.${name}`, '1'])),
  });
  context = {
    service,
    tight,
    disabled: await service.addClient({ status: 'disabled' }),
    narrow: await service.addClient({ responseTypes: ['code'] }),
    wallet: await service.addClient({ signalIsNonce: true }),
  };
});
afterAll(async () => {
  await context?.tight.end();
});

const named = (rows: readonly ErrorRow[]): [name: string, row: ErrorRow][] =>
  rows.map((row) => [`${row.code}: ${row.name}`, row]);

/** Expects the five members, in characters that RFC 6749 allows. */
function expectBody(body: unknown, { error, code, attribute }: ErrorRow): void {
  const { detail } = body as { readonly detail: string };
  expect(body).toEqual({ error, error_description: detail, code, detail, attribute: attribute ?? null });
  expect(detail).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
}

describe('codes in a body', () => {
  it.each(named(BODY_ROWS))('%s', async (_name, row) => {
    const response = await row.send(context);
    expectBody(await response.json(), row);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
    for (const [name, value] of Object.entries(row.headers ?? {})) {
      const sent = response.headers.get(name);
      if (value === '{seconds}') expect(Number(sent)).toBeGreaterThanOrEqual(1);
      else expect(sent).toBe(value?.replace('{base_url}', context.service.baseUrl) ?? null);
    }
    if (/\/(?:authorize|token|userinfo|introspect|revoke)/.test(new URL(response.url).pathname)) {
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
    }
  });
});

describe('codes in a redirect to the app', () => {
  it.each(named(REDIRECT_ROWS))('%s', async (_name, row) => {
    const response = await row.send(context);
    expect(response.status).toBe(row.status);
    const url = new URL(response.headers.get('location') ?? '');
    expect(`${url.origin}${url.pathname}`).toBe('https://shop.example/cb');
    const parameters = Object.fromEntries(new URLSearchParams(url.hash.slice(1) || url.search));
    expect(parameters).toMatchObject({ error: row.error, iss: context.service.baseUrl });
    const allowed = ['error', 'error_description', 'state', 'iss'];
    expect(Object.keys(parameters).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

it('a refusal with status 200 is an inactive token at /introspect, without the member error', async () => {
  const { clientId: client_id, clientSecret: client_secret } = context.service.web;
  const fields = { client_id, client_secret, token: 'x' };
  const response = await call(context.service, 'POST /introspect', { fields });
  expect([response.status, await response.json()]).toEqual([
    200,
    { active: false, code: 'invalid_token', detail: 'Token is invalid or expired.', attribute: 'token' },
  ]);
});

describe('server_error', () => {
  it('is 503 with Retry-After when the bridge is full, and a redirect to a known app when sign-in is full', async () => {
    const full = await startSigninOfTest({
      settings: { 'signin.maxPendingTransactions': '1', 'bridge.maxEntries': '1' },
    });
    await full.begin();
    const message = JSON.stringify({ iv: 'i', payload: 'p' });
    expect((await call(full, 'POST /bridge/request', { fields: message })).status).toBe(200);
    const response = await call(full, 'POST /bridge/request', { fields: message });
    expect([response.status, response.headers.get('retry-after') !== null]).toEqual([503, true]);
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable', code: 'server_error' });
    const refused = await call(full, `GET /authorize?${new URLSearchParams(request(full))}`);
    expect(refused.headers.get('location')).toContain('?error=temporarily_unavailable&');
  });

  it('is 500 without the reason when the store lacks a table', async () => {
    // It loses a table.
    const broken = await startSigninOfTest();
    const database = new Database(`${broken.app.dataDir}/proofgate.db`);
    database.exec(
      'alter table authorization_codes rename to gone; alter table signin_transactions rename to away',
    );
    database.close();
    const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = broken.web;
    const fields = { grant_type: 'authorization_code', code: 'c', redirect_uri, client_id, client_secret };
    const response = await call(broken, 'POST /token', { fields });
    const body = await response.text();
    expect([response.status, JSON.parse(body)]).toEqual([
      500,
      expect.objectContaining({ error: 'server_error', code: 'server_error', attribute: null }),
    ]);
    expect(body).not.toMatch(/table|authorization_codes|sqlite/i);
  });
});

describe('the codes of the specification', () => {
  it('are those of the error catalogue, and each has a row in these tests', () => {
    const catalogue = Object.values(ERRORS as Record<string, ErrorSpec>).flatMap(({ signin }) =>
      signin === undefined ? [] : [signin.code],
    );
    const rows = [...BODY_ROWS, ...REDIRECT_ROWS].map(({ code }) => code);
    // Needs a session: test/oidc/sessions/silent-answers.test.ts
    rows.push('interaction_required');
    // Needs World ID 4.0: test/oidc/known/passkeys.test.ts
    rows.push('passkey_refused');
    // `access_denied` is not in the catalogue: it is an outcome of a sign-in, not a refused request
    expect([...new Set(rows)].sort()).toEqual([...new Set([...catalogue, 'access_denied'])].sort());
  });
});
