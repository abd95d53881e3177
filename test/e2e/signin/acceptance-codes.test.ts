import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import { opened } from '../../support/opened.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { relyingParty, tokensOf } from '../support/relying-party.ts';

const INACTIVE = {
  active: false,
  code: 'invalid_token',
  detail: 'Token is invalid or expired.',
  attribute: 'token',
};
const INVALID_GRANT = errorBody('invalid_grant', 'invalid_grant', 'Invalid authorization code.', 'code');

/** Uses codes of complete sign-ins at a running service. */
describe('codes and tokens of complete sign-ins', () => {
  let now = Date.now();

  const service = opened(() => startSigninService({ now: () => now }), 'end');
  const otherClient = opened(() => service.addClient({ name: 'Other' }));
  const shop = opened(() => relyingParty(service.baseUrl, service.web));
  const other = opened(() => relyingParty(service.baseUrl, otherClient));

  const newCode = async (): Promise<string> => (await service.complete()).parameters.code ?? '';

  async function expectDead(accessToken: string): Promise<void> {
    expect((await shop.userinfo(accessToken)).status).toBe(401);
    expect(await shop.introspect(accessToken)).toMatchObject({ status: 200, body: INACTIVE });
  }

  it.each([
    ['immediately', 0],
    ['30 seconds later', 30_000],
    ['59 minutes 59 seconds later', 3_599_000],
  ])('a second use %s is invalid_grant and revokes the token of the first', async (_when, laterMs) => {
    const code = await newCode();
    const { accessToken } = await tokensOf(shop, code);
    expect((await shop.userinfo(accessToken)).status).toBe(200);
    now += laterMs;
    expect(await shop.redeem(code)).toMatchObject({ status: 400, body: INVALID_GRANT });
    await expectDead(accessToken);
    expect(await shop.redeem(code)).toMatchObject({ status: 400, body: INVALID_GRANT });
  });

  it('one of fifty parallel uses of a code succeeds, and its token is revoked by the others', async () => {
    const code = await newCode();
    const replies = await Promise.all(Array.from({ length: 50 }, () => shop.redeem(code)));
    const good = replies.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    for (const { status, body } of replies.filter((reply) => !good.includes(reply))) {
      expect([status, body]).toEqual([400, INVALID_GRANT]);
    }
    await expectDead(String(good[0]?.body.access_token));
  });

  it("another client's code is invalid_grant, and the right client redeems it afterwards", async () => {
    const code = await newCode();
    for (const redirect_uri of [service.web.redirectUri, otherClient.redirectUri]) {
      expect(await other.redeem(code, { redirect_uri })).toMatchObject({ status: 400, body: INVALID_GRANT });
    }
    const { accessToken } = await tokensOf(shop, code);
    expect((await shop.userinfo(accessToken)).status).toBe(200);
  });

  it("another client's secret is 401, and does not use up the code", async () => {
    const code = await newCode();
    const refused = await shop.redeem(code, { client_secret: otherClient.clientSecret });
    expect(refused).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', code: 'unauthenticated' },
    });
    await tokensOf(shop, code);
  });

  it("another client's token is inactive at /introspect, and cannot be revoked", async () => {
    const { accessToken } = await tokensOf(shop, await newCode());
    expect(await other.introspect(accessToken)).toMatchObject({ status: 200, body: INACTIVE });
    expect(await other.revoke(accessToken)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    expect((await shop.introspect(accessToken)).body).toMatchObject({
      active: true,
      client_id: service.web.clientId,
    });
  });

  it('an ID token is 401 at /userinfo and inactive at /introspect', async () => {
    const { idToken } = await tokensOf(shop, await newCode());
    const reply = await shop.userinfo(idToken);
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_token', code: 'invalid_token' } });
    expect(reply.headers.get('www-authenticate')).toBe(
      `Bearer realm="${service.baseUrl}", error="invalid_token", error_description="Token is invalid or expired."`,
    );
    expect((await shop.introspect(idToken)).body).toEqual(INACTIVE);
  });

  it('an ID token has the nonce of the request, and none if the request has none', async () => {
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/jwks`));
    const verified = async (token: string) =>
      (await jwtVerify(token, keys, { issuer: service.baseUrl, currentDate: new Date(now) })).payload;
    const plain = await tokensOf(shop, await newCode());
    expect(await verified(plain.idToken)).not.toHaveProperty('nonce');
    expect(decodeJwt(plain.accessToken)).not.toHaveProperty('nonce');
    const { parameters } = await service.complete({ nonce: 'n\u0000-é' });
    expect(await verified((await tokensOf(shop, parameters.code)).idToken)).toMatchObject({
      nonce: 'n\u0000-é',
    });
  });
});
