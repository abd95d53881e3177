/**
 * Modules of the conformance suite of the OpenID Foundation that need a session, step by step, with
 * `signin.sessionSeconds` 3600 (spec/sign-in.md#openid-conformance). The person ticks the box at the first sign-in.
 */
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type InteropBrowser, openInteropBrowser } from '../support/interop/browser.ts';
import { conformanceClient, NONCE, PLANS } from '../support/interop/conformance.ts';
import { startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { SignInAnswer } from '../support/signin/driver.ts';

let clockMs = Date.now();
const now = (): number => clockMs;
const interop = opened(() => startInterop({ now, settings: { 'signin.sessionSeconds': '3600' } }), 'end');
const rp = opened(() => conformanceClient(interop.issuer, interop.web, now));

describe.each(PLANS)('conformance with sessions: %s by %s', (response_type, response_mode) => {
  const urlOf = (parameters: Readonly<Record<string, string>> = {}): string => {
    const { clientId: client_id, redirectUri: redirect_uri } = interop.web;
    const request = { response_type, response_mode, client_id, redirect_uri, scope: 'openid', nonce: NONCE };
    return `${interop.issuer}/authorize?${new URLSearchParams({ ...request, ...parameters })}`;
  };
  /** Checks the answer and its tokens as at every sign-in; returns the claims and the ID token. */
  const read = async (answer: SignInAnswer) => {
    expect([answer.mode, answer.parameters.error]).toEqual([response_mode, undefined]);
    const { parameters } = answer;
    if (parameters.id_token !== undefined) {
      return { claims: await rp.readIdToken(parameters, NONCE), idToken: parameters.id_token };
    }
    const { status, body } = await rp.redeem(parameters.code);
    expect(status).toBe(200);
    const claims = await rp.readIdToken({ ...body, code: undefined }, NONCE);
    return { claims, idToken: String(body.id_token) };
  };
  const signedIn = async (browser: InteropBrowser) => {
    const first = await read(await browser.signIn(urlOf(), { agreesTo: ['stay'] }));
    clockMs += 2000;
    return first;
  };
  const same = ({ sub, auth_time, acr, sid }: Awaited<ReturnType<typeof read>>['claims']) => ({
    sub,
    auth_time,
    acr,
    sid,
  });

  it('oidcc-prompt-none-logged-in, -id-token-hint and -max-age-10000 need no second proof, -max-age-1 and -prompt-login do', async () => {
    const browser = openInteropBrowser(interop.issuer);
    const first = await signedIn(browser);
    const requests = [
      { prompt: 'none' },
      { prompt: 'none', id_token_hint: first.idToken },
      { max_age: '10000' },
    ];
    for (const request of requests) {
      const { claims } = await read(await browser.ask(urlOf({ ...request, state: 'st' })));
      expect(same(claims)).toEqual(same(first.claims));
      expect(claims.iat).toBeGreaterThanOrEqual(Number(first.claims.iat));
      expect(claims.sid).toMatch(/^[\w-]{22}$/);
    }
    const aged = await read(await browser.signIn(urlOf({ max_age: '1' }), { agreesTo: ['stay'] }));
    expect(Number(aged.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time));
    clockMs += 2000;
    const again = await read(await browser.signIn(urlOf({ prompt: 'login' })));
    expect(Number(again.claims.auth_time)).toBeGreaterThan(Number(aged.claims.auth_time));
    expect([aged.claims.sub, again.claims.sub]).toEqual([first.claims.sub, first.claims.sub]);
  });

  it('oidcc-prompt-none-not-logged-in: login_required, state and issuer intact', async () => {
    const state = 'aA0-'.repeat(32);
    const { mode, parameters } = await openInteropBrowser(interop.issuer).ask(
      urlOf({ prompt: 'none', state }),
    );
    expect(mode).toBe(response_mode);
    expect(parameters).toMatchObject({ error: 'login_required', state, iss: interop.issuer });
  });
});

it('an expired ID token is a hint, too', async () => {
  const browser = openInteropBrowser(interop.issuer);
  const { clientId: client_id, redirectUri: redirect_uri } = interop.web;
  const request = { response_type: 'id_token', client_id, redirect_uri, scope: 'openid', nonce: NONCE };
  const urlOf = (more: Readonly<Record<string, string>>): string =>
    `${interop.issuer}/authorize?${new URLSearchParams({ ...request, ...more })}`;
  const { id_token = '' } = (await browser.signIn(urlOf({}), { agreesTo: ['stay'] })).parameters;
  clockMs += 3_600_000;
  expect(Number(decodeJwt(id_token).exp) * 1000).toBeLessThanOrEqual(clockMs);
  const { parameters } = await browser.signIn(urlOf({ id_token_hint: id_token }));
  expect(decodeJwt(parameters.id_token ?? '').sub).toBe(decodeJwt(id_token).sub);
});
