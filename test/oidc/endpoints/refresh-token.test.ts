// Rules: spec/sign-in.md#refresh-tokens
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { ClientMetadata } from '../../../src/storage/apps/apps.ts';
import { opened } from '../../support/opened.ts';
import {
  type BackChannel,
  basicOf,
  counterOf,
  openBackChannel,
  REDIRECT_URI,
  type Reply,
  SUB,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import { beginFamily } from '../support/begin-family.ts';
import {
  badRequest,
  expectNoStore,
  expectRefusal,
  missing,
  REFUSALS,
  type Refusal,
  repeated,
} from '../support/refusals.ts';

const SCOPE = ['openid', 'email', 'offline_access'];
const OFFLINE: Partial<ClientMetadata> = { refreshTokens: true };
const INVALID: Refusal = badRequest('invalid_grant', 'Invalid refresh token.', 'refresh_token');
const NOT_GRANTED: Refusal = badRequest(
  'invalid_scope',
  'scope: expected openid and only scopes that were granted.',
  'scope',
);
const DAY_MS = 86_400_000;
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient(OFFLINE));

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

/** Signs in with offline_access; returns the tokens. */
async function begin(by: TestClient = client, channel: BackChannel = service): Promise<Tokens> {
  const reply = await channel.exchange(by, await channel.issueCode(by, { scope: SCOPE, nonce: 'n-1' }));
  expect(reply.status).toBe(200);
  return tokensOf(reply);
}

function tokensOf({ body }: Reply): Tokens {
  return { access: String(body.access_token), refresh: String(body.refresh_token) };
}

it('keeps the form of the address of a client, until the client changes it', async () => {
  const own = await service.addClient({ ...OFFLINE, emailForm: 'short' });
  const first = await service.exchange(own, await service.issueCode(own, { scope: SCOPE, nonce: 'n-1' }));
  const address = decodeJwt(String(first.body.id_token)).email;
  expect(address).toMatch(/^p[0-9a-v]{32}@/);
  const refreshed = await refreshWith(tokensOf(first).refresh, {}, own);
  expect(decodeJwt(String(refreshed.body.id_token)).email).toBe(address);
  const app = await service.store.apps.findByAppId(own.id);
  if (app === undefined) throw new Error('the client is gone');
  await service.store.apps.update(
    own.id,
    { client: { ...app.client, emailForm: 'long' } },
    app.updatedAt + 1,
  );
  service.clock.now += 60_000;
  const changed = await refreshWith(tokensOf(refreshed).refresh, {}, own);
  expect(decodeJwt(String(changed.body.id_token)).email).toBe(`${SUB}@localhost`);
});

const refreshWith = (
  token: string,
  more: Readonly<Record<string, string>> = {},
  by: TestClient = client,
  channel: BackChannel = service,
): Promise<Reply> =>
  channel.call('POST /token', {
    headers: { authorization: by.basic },
    form: { grant_type: 'refresh_token', refresh_token: token, ...more },
  });
const post = (path: string, token: string, by: TestClient = client): Promise<Reply> =>
  service.call(`POST ${path}`, { headers: { authorization: by.basic }, form: { token } });
const isActive = async (token: string): Promise<boolean> =>
  (await service.call('GET /userinfo', { headers: { authorization: `Bearer ${token}` } })).status === 200;
const replays = (): unknown[] => service.log().filter(({ event }) => event === 'refresh_token.replayed');

describe('a code with offline_access', () => {
  it('yields a refresh token, stored as hashes only', async () => {
    const reply = await service.exchange(client, await service.issueCode(client, { scope: SCOPE }));
    expectNoStore(reply);
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: SCOPE.join(' ') });
    const { access, refresh } = tokensOf(reply);
    expect(refresh).toMatch(/^rt_[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/);
    const [family] = await service.store.refreshTokens.page(client.id, 1, service.clock.now);
    expect(family).toMatchObject({
      lookupHash: sha256(refresh.slice(3, 25)),
      tokenHash: sha256(refresh),
      familyId: decodeJwt(access).family,
      expiresAt: service.clock.now + 30 * DAY_MS,
    });
    expect(decodeJwt(access).jti).not.toBe(family?.familyId);
  });

  it('yields none, and no such scope, to a client that may no longer have them', async () => {
    const plain = await service.addClient();
    const { body } = await service.exchange(plain, await service.issueCode(plain, { scope: SCOPE }));
    expect(body).toMatchObject({ scope: 'openid email' });
    expect(body).not.toHaveProperty('refresh_token');
    expect(decodeJwt(String(body.access_token))).toMatchObject({ scope: 'openid email' });
    expect(decodeJwt(String(body.id_token))).toMatchObject({ scope: 'openid email' });
    expect(decodeJwt(String(body.access_token))).not.toHaveProperty('family');
  });

  it('without offline_access yields none', async () => {
    const { body } = await service.exchange(client, await service.issueCode(client));
    expect(body).not.toHaveProperty('refresh_token');
  });

  it('begins no family when the request is refused', async () => {
    const other = await service.addClient(OFFLINE);
    for (const wrong of [{ redirect_uri: 'https://evil.example' }, { code_verifier: 'x' }]) {
      const code = await service.issueCode(other, { scope: SCOPE });
      expect((await service.exchange(other, code, wrong)).status).toBe(400);
    }
    expect(await service.store.refreshTokens.page(other.id, 1, service.clock.now)).toEqual([]);
  });

  it('that comes back ends the family, also after the token was refreshed', async () => {
    const code = await service.issueCode(client, { scope: SCOPE });
    const first = tokensOf(await service.exchange(client, code));
    const second = tokensOf(await refreshWith(first.refresh));
    expect(await isActive(first.access)).toBe(true);
    expect((await service.exchange(client, code)).status).toBe(400);
    expect([await isActive(first.access), await isActive(second.access)]).toEqual([false, false]);
    expectRefusal(await refreshWith(second.refresh), INVALID);
  });
});

describe('POST /token with a refresh token', () => {
  it('yields new tokens for the same person and a new refresh token', async () => {
    const { access, refresh } = await begin();
    service.clock.now += 60_000;
    const before = await counterOf(service.metrics, 'tokenIssuedTotal', { grant: 'refresh_token' });
    const reply = await refreshWith(refresh);
    expect(reply.status).toBe(200);
    expectNoStore(reply);
    const { access_token, id_token, refresh_token, ...rest } = reply.body;
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: SCOPE.join(' ') });
    expect(refresh_token).not.toBe(refresh);
    expect(String(refresh_token).slice(0, 25)).toBe(refresh.slice(0, 25));
    const [old, renewed] = [decodeJwt(access), decodeJwt(String(access_token))];
    const now = Math.floor(service.clock.now / 1000);
    expect(renewed).toMatchObject({ sub: SUB, family: old.family, auth_time: old.auth_time, iat: now });
    expect(renewed.jti).not.toBe(old.jti);
    const id = decodeJwt(String(id_token));
    expect(id).toMatchObject({
      iss: service.baseUrl,
      sub: SUB,
      aud: client.id,
      auth_time: old.auth_time,
      acr: 'orb',
      iat: now,
      exp: now + 3600,
      at_hash: halfHash(String(access_token)),
    });
    expect(id).not.toHaveProperty('nonce');
    expect(await isActive(String(access_token))).toBe(true);
    expect(await isActive(access)).toBe(true);
    expect(await counterOf(service.metrics, 'tokenIssuedTotal', { grant: 'refresh_token' })).toBe(before + 1);
  });

  it('works again and again until its end, which a use does not extend', async () => {
    const channel = await startBackChannel({ 'signin.refreshTokenSeconds': '120' });
    const own = await channel.addClient(OFFLINE);
    let { refresh } = await begin(own, channel);
    for (let use = 0; use < 2; use++) {
      channel.clock.now += 59_999;
      const reply = await refreshWith(refresh, {}, own, channel);
      expect(reply.status).toBe(200);
      refresh = tokensOf(reply).refresh;
    }
    channel.clock.now += 1;
    expect((await refreshWith(refresh, {}, own, channel)).status).toBe(200);
    channel.clock.now += 1;
    expectRefusal(await refreshWith(refresh, {}, own, channel), INVALID);
  });

  it('ends with a lowered setting, as its introspection says', async () => {
    // Families of this channel began for longer than it grants now.
    const channel = await startBackChannel({ 'signin.refreshTokenSeconds': '120' });
    const own = await channel.addClient(OFFLINE);
    const begun = channel.clock.now;
    const { token } = await beginFamily(channel.store, own.id, begun);
    const introspect = async (): Promise<unknown> =>
      (
        await channel.call('POST /introspect', {
          headers: { authorization: own.basic },
          form: { token: token.text },
        })
      ).body;
    channel.clock.now += 119_999;
    expect(await introspect()).toMatchObject({ active: true, exp: Math.floor((begun + 120_000) / 1000) });
    channel.clock.now += 1;
    expect(await introspect()).toMatchObject({ active: false });
    expectRefusal(await refreshWith(token.text, {}, own, channel), INVALID);
    // A use before that end does not extend it.
    const other = await beginFamily(channel.store, own.id, channel.clock.now);
    channel.clock.now += 100_000;
    const next = await refreshWith(other.token.text, {}, own, channel);
    expect(next.status).toBe(200);
    channel.clock.now += 20_000;
    expectRefusal(await refreshWith(tokensOf(next).refresh, {}, own, channel), INVALID);
  });

  it('is for public clients, too', async () => {
    const open = await service.addClient({ ...OFFLINE, tokenEndpointAuthMethod: 'none' });
    const code = await service.issueCode(open, { scope: SCOPE });
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: open.id };
    const { refresh } = tokensOf(await service.call('POST /token', { form }));
    const again = { grant_type: 'refresh_token', refresh_token: refresh, client_id: open.id };
    expect((await service.call('POST /token', { form: again })).status).toBe(200);
  });

  it('narrows the scope of one answer', async () => {
    const { refresh } = await begin();
    const reply = await refreshWith(refresh, { scope: 'email openid email' });
    expect(reply.body).toMatchObject({ scope: 'email openid', refresh_token: expect.any(String) });
    expect(decodeJwt(String(reply.body.access_token))).toMatchObject({ scope: 'email openid' });
    const narrow = await refreshWith(tokensOf(reply).refresh, { scope: 'openid' });
    expect(decodeJwt(String(narrow.body.id_token))).not.toHaveProperty('email');
    const whole = await refreshWith(tokensOf(narrow).refresh, { scope: '' });
    expect(whole.body).toMatchObject({ scope: SCOPE.join(' ') });
  });

  it('refuses a scope that was not granted, and leaves the token in force', async () => {
    const { refresh } = await begin();
    for (const scope of ['openid profile', 'email', 'OPENID', ' ']) {
      expectRefusal(await refreshWith(refresh, { scope }), NOT_GRANTED);
    }
    expect((await refreshWith(refresh)).status).toBe(200);
  });

  it('runs its checks in order', async () => {
    const { refresh } = await begin();
    const call = (form: string, authorization = client.basic): Promise<Reply> =>
      service.call('POST /token', { headers: { authorization }, form });
    const grant = 'grant_type=refresh_token';
    for (const name of ['refresh_token', 'scope']) {
      expectRefusal(await call(`${grant}&${name}=a&${name}=b`), repeated(name));
    }
    expectRefusal(await call(`${grant}&refresh_token=${refresh}`, basicOf(client.id, 'sk_wrong')), {
      ...REFUSALS.wrongCredentials,
      challenge: 'Basic realm="http://localhost:8080", charset="UTF-8"',
    });
    expectRefusal(await call(grant), missing('refresh_token'));
    expectRefusal(await call(`${grant}&refresh_token=x&scope=profile`), INVALID);
    expect((await refreshWith(refresh)).status).toBe(200);
  });

  it.each(['', 'x', 'rt_', `rt_${'A'.repeat(22)}.${'A'.repeat(43)}`])(
    'refuses the token that it never issued, %j',
    async (suffix) => {
      const { refresh, access } = await begin();
      const foreign = suffix === '' ? `${refresh}A` : suffix;
      expectRefusal(await refreshWith(foreign), INVALID);
      expect(await isActive(access)).toBe(true);
      expect((await refreshWith(refresh)).status).toBe(200);
    },
  );

  it('refuses tokens of other kinds', async () => {
    const code = await service.issueCode(client);
    for (const token of [await service.accessToken(client), code]) {
      expectRefusal(await refreshWith(token), INVALID);
    }
    const { refresh } = await begin();
    expect(await isActive(refresh)).toBe(false);
    expect((await service.exchange(client, refresh)).status).toBe(400);
    expect((await refreshWith(refresh)).status).toBe(200);
  });
});

describe('a refresh token that was replaced', () => {
  it('ends the family and its access tokens when it comes back', async () => {
    const first = await begin();
    const second = tokensOf(await refreshWith(first.refresh));
    const others = await begin();
    const [lines, count] = [replays().length, await counterOf(service.metrics, 'refreshTokenReplayTotal')];
    expectRefusal(await refreshWith(first.refresh), INVALID);
    expect([await isActive(first.access), await isActive(second.access)]).toEqual([false, false]);
    expect((await post('/introspect', second.access)).body).toMatchObject({ active: false });
    expectRefusal(await refreshWith(second.refresh), INVALID);
    expect(await counterOf(service.metrics, 'refreshTokenReplayTotal')).toBe(count + 1);
    expect(replays().slice(lines)).toEqual([
      expect.objectContaining({ level: 'warn', clientId: client.id, requestId: expect.any(String) }),
    ]);
    expect(await isActive(others.access)).toBe(true);
    expect((await refreshWith(others.refresh)).status).toBe(200);
    expect(service.log().some((line) => JSON.stringify(line).includes(second.refresh.slice(3, 25)))).toBe(
      false,
    );
  });

  it('keeps the last access token revoked until it ends', async () => {
    const first = await begin();
    service.clock.now += 3_000_000;
    const second = tokensOf(await refreshWith(first.refresh));
    await refreshWith(first.refresh);
    service.clock.now += 3_599_000;
    await service.store.sweep(service.clock.now, 1000);
    expect(await isActive(second.access)).toBe(false);
  });

  it('yields one new token at most when it is used many times at once, and the family ends', async () => {
    for (let round = 0; round < 5; round++) {
      const { refresh } = await begin();
      const replies = await Promise.all(Array.from({ length: 12 }, () => refreshWith(refresh)));
      const won = replies.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const reply of replies) if (reply.status !== 200) expectRefusal(reply, INVALID);
      for (const reply of won) {
        expect(await isActive(tokensOf(reply).access)).toBe(false);
        expectRefusal(await refreshWith(tokensOf(reply).refresh), INVALID);
      }
    }
  });
});

it('a refresh token of another client is unknown, and stays in force', async () => {
  const other = await service.addClient(OFFLINE);
  const first = await begin();
  const { refresh, access } = tokensOf(await refreshWith(first.refresh));
  for (const token of [refresh, first.refresh]) {
    expectRefusal(await refreshWith(token, {}, other), INVALID);
    expect((await post('/introspect', token, other)).body).toMatchObject({ active: false });
    expectRefusal(
      await post('/revoke', token, other),
      badRequest('invalid_request', 'The token was issued to another client.', 'token', 'invalid_token'),
    );
  }
  expect(await isActive(access)).toBe(true);
  expect((await refreshWith(refresh)).status).toBe(200);
});

describe('a client that may no longer have refresh tokens', () => {
  it('is refused, and the family has ended for good', async () => {
    const own = await service.addClient(OFFLINE);
    const { refresh, access } = await begin(own);
    const row = await service.store.apps.findByAppId(own.id);
    if (row === undefined) throw new Error('the client is gone');
    const change = (refreshTokens: boolean): Promise<unknown> =>
      service.store.apps.update(own.id, { client: { ...row.client, refreshTokens } }, service.clock.now);
    await change(false);
    service.clock.now += 61_000;
    expectRefusal(await refreshWith(refresh, {}, own), INVALID);
    await change(true);
    service.clock.now += 61_000;
    expectRefusal(await refreshWith(refresh, {}, own), INVALID);
    expect(await isActive(access)).toBe(false);
  });

  it('is refused while the row of the family is still there', async () => {
    const own = await service.addClient();
    const { token } = await beginFamily(service.store, own.id, service.clock.now);
    expectRefusal(await refreshWith(token.text, {}, own), INVALID);
    expect((await post('/introspect', token.text, own)).body).toMatchObject({ active: false });
  });

  it('is refused when it is disabled, and its families have ended when it is enabled again', async () => {
    const own = await service.addClient(OFFLINE);
    const { refresh } = await begin(own);
    await service.store.apps.update(own.id, { status: 'disabled' }, service.clock.now);
    service.clock.now += 61_000;
    expect((await refreshWith(refresh, {}, own)).status).toBe(401);
    await service.store.apps.update(own.id, { status: 'active' }, service.clock.now);
    service.clock.now += 61_000;
    expectRefusal(await refreshWith(refresh, {}, own), INVALID);
  });
});

describe('POST /revoke with a refresh token', () => {
  it.each(['in force', 'replaced'])('ends the family of a token that is %s', async (state) => {
    const first = await begin();
    const second = tokensOf(await refreshWith(first.refresh));
    const reply = await post('/revoke', (state === 'in force' ? second : first).refresh);
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect([await isActive(first.access), await isActive(second.access)]).toEqual([false, false]);
    expectRefusal(await refreshWith(second.refresh), INVALID);
    expect((await post('/revoke', second.refresh)).status).toBe(200);
  });

  it('with an access token of a family ends that token only, the first one too', async () => {
    const first = await begin();
    const second = tokensOf(await refreshWith(first.refresh));
    expect((await post('/revoke', first.access)).status).toBe(200);
    expect([await isActive(first.access), await isActive(second.access)]).toEqual([false, true]);
    expect((await refreshWith(second.refresh)).status).toBe(200);
  });
});

it('POST /introspect with a refresh token shows the token in force, without a token type', async () => {
  const { refresh } = await begin();
  const begun = Math.floor(service.clock.now / 1000);
  service.clock.now += 5000;
  const next = tokensOf(await refreshWith(refresh)).refresh;
  expect((await post('/introspect', next)).body).toEqual({
    active: true,
    client_id: client.id,
    sub: SUB,
    scope: SCOPE.join(' '),
    iss: service.baseUrl,
    exp: begun + 30 * 86_400,
    iat: begun + 5,
  });
  expect((await post('/introspect', refresh)).body).toMatchObject({ active: false });
  // To ask about a replaced token is not to use it.
  expect((await refreshWith(next)).status).toBe(200);
});

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}
