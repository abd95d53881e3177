import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { openInteropBrowser } from '../../support/interop/browser.ts';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { authorize, readAnswer } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { startSigninOfTest } from '../../support/signin/shared-service.ts';
import { approve } from '../../support/test-wallet.ts';

const REFUSED = {
  error: 'invalid_request',
  error_description: 'id_token_hint is not an ID token of this service for the client.',
};
let idToken: string;
const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
beforeAll(async () => {
  idToken = await idTokenOf('alice');
});

const requestOf = ({ clientId: client_id, redirectUri: redirect_uri }: TestClient) =>
  ({ response_type: 'code id_token token', client_id, redirect_uri, scope: 'openid', nonce: 'n' }) as const;

async function idTokenOf(person: string, client = service.web): Promise<string> {
  const { parameters } = await service.complete(requestOf(client), { person });
  return parameters.id_token ?? '';
}

/** Answer to a request with this hint that needs no page. */
async function answerTo(id_token_hint: string, more = {}) {
  const response = await authorize(service.baseUrl, { ...requestOf(service.web), id_token_hint, ...more });
  return (await readAnswer(response)).parameters;
}

describe('an id_token_hint', () => {
  it('is accepted, and the person whom it names signs in', async () => {
    const answer = await service.complete({ ...requestOf(service.web), id_token_hint: idToken });
    expect(decodeJwt(answer.parameters.id_token ?? '').sub).toBe(decodeJwt(idToken).sub);
  });

  it('keeps everybody else out: the app gets login_required and no token, and the page tells why', async () => {
    const signIn = await service.begin({ ...requestOf(service.web), id_token_hint: idToken, state: 'st' });
    await approve(signIn.connectUrl, { person: 'bob' });
    expect(await signIn.settle()).toMatchObject({
      status: 'refused',
      code: 'login_required',
      detail: 'The app expects another person than the one who has proven.',
    });
    expect(await signIn.page()).toContain(
      'The app expects somebody else: you are not the person who is signed in there.',
    );
    expect(await signIn.finish()).toMatchObject({
      mode: 'fragment',
      parameters: {
        error: 'login_required',
        error_description: 'The app expects another person than the one who has proven.',
        state: 'st',
        iss: service.baseUrl,
      },
    });
  });

  it('keeps the session of somebody else from answering', async () => {
    const browser = openInteropBrowser(service.baseUrl);
    const urlOf = (more: Readonly<Record<string, string>>): string =>
      `${service.baseUrl}/authorize?${new URLSearchParams({ ...requestOf(service.web), ...more })}`;
    const bob = await browser.signIn(urlOf({}), { person: 'bob', agreesTo: ['stay'] });
    const own = { prompt: 'none', id_token_hint: bob.parameters.id_token ?? '' };
    expect((await browser.ask(urlOf(own))).parameters.error).toBeUndefined();
    const alice = await browser.ask(urlOf({ prompt: 'none', id_token_hint: idToken }));
    expect(alice.parameters).toMatchObject({ error: 'login_required' });
    expect((await browser.visit(urlOf({ id_token_hint: idToken }))).url).toMatch(/\/authorize\/[\w-]{43}$/);
  });

  it('is refused if it is no ID token of this service for the client', async () => {
    const other = await service.addClient();
    const [head = '', payload = '', signature = ''] = idToken.split('.');
    const { parameters } = await service.complete(requestOf(service.web));
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const kid = JSON.parse(Buffer.from(head, 'base64url').toString()).kid as string;
    const claims = decodeJwt(idToken);
    const signed = (header: object, key: Parameters<SignJWT['sign']>[0] = privateKey): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid, ...header }).sign(key);
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT', kid })).toString('base64url');
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: `0x${'0'.repeat(64)}` }));
    const published = Buffer.from(JSON.stringify(await exportJWK(publicKey)));
    for (const hint of [
      await idTokenOf('alice', other),
      parameters.access_token ?? '',
      `${none}.${payload}.`,
      `${head}.${changed.toString('base64url')}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
      await signed({}),
      await signed({ kid: 'A'.repeat(43) }),
      await signed({ alg: 'HS256' }, published),
      'a.b.c',
      'x',
      `${head}.${payload}`,
      `${idToken}.`,
      'A'.repeat(9000),
    ]) {
      expect([hint, await answerTo(hint)]).toMatchObject([hint, REFUSED]);
      expect(await answerTo(hint, { prompt: 'none' })).toMatchObject(REFUSED);
    }
  });

  it('is accepted while the key that signed it is published as retired, and refused once it is removed', async () => {
    const short = await startSigninOfTest({
      settings: { 'signin.sessionSeconds': '3600', 'storage.cacheSeconds': '0' },
    });
    const { parameters } = await short.complete(requestOf(short.web));
    const id_token_hint = parameters.id_token ?? '';
    const silent = { ...requestOf(short.web), id_token_hint, prompt: 'none' };
    const ask = async () => (await readAnswer(await authorize(short.baseUrl, silent))).parameters.error;
    const { store } = short;
    const [active, next] = await store.signingKeys.list('signin', Date.now());
    if (active === undefined || next === undefined) throw new Error('the keys are gone');
    const newNext = { ...next, kid: 'B'.repeat(43) };
    const at = Date.now();
    const rotation = { use: 'signin', activeKid: active.kid, nextKid: next.kid, newNext, at } as const;
    expect(await store.signingKeys.rotate({ ...rotation, retiredUntil: at + 3_600_000 })).toBe(true);
    expect(await ask()).toBe('login_required');
    expect(await store.signingKeys.removeRetired(active.kid)).toBe(true);
    expect(await ask()).toBe('invalid_request');
  });
});
