// Rules: spec/sign-in.md#repeated-responses
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { OPEN_POLICY, type VerificationPolicy } from '../../../src/config/apps/policy.ts';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import {
  beginSignIn,
  type PendingSignIn,
  readAnswer,
  redeemCode,
  type SignInAnswer,
  type SignInParameters,
} from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { approve, decline } from '../../support/test-wallet.ts';

const CODE_MS = 60_000;
const TRANSACTION_MS = 900_000;
/** Nothing is cached for longer. */
const CACHE_MS = 1000;
let time = Date.UTC(2026, 5, 1, 12);

const service = opened(
  () =>
    startSigninService({
      now: () => time,
      settings: { 'signin.sessionSeconds': '3600', 'storage.cacheSeconds': '0' },
    }),
  'end',
);
const client = opened(() => service.addClient({ refreshTokens: true }));

/** Changes the policy of a client; the service has read it again when it resolves. */
async function setPolicy({ clientId }: TestClient, policy: VerificationPolicy): Promise<void> {
  await service.store.apps.update(clientId, { policy }, time);
  time += CACHE_MS;
}

/** How a sign-in ends, up to the moment in which the browser may go on. */
type End = (signIn: PendingSignIn, by: TestClient) => Promise<unknown>;

const prove: End = async (signIn) => {
  await approve(signIn.connectUrl);
  expect(await signIn.settle()).toMatchObject({ status: 'completed' });
};

const GOOD_ENDS: Readonly<Record<string, End>> = {
  'a proof': prove,
  'a proof, and the person stays signed in': async (signIn, by) => {
    await signIn.agree(['stay']);
    await prove(signIn, by);
  },
  'a proof, and the person stays connected': async (signIn, by) => {
    await signIn.agree(['offline']);
    await prove(signIn, by);
  },
};

const BAD_ENDS: Readonly<Record<string, End>> = {
  'a wallet that declines': async (signIn) => {
    await decline(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'refused' });
  },
  'a proof of another level than the required one': async (signIn) => {
    await approve(signIn.connectUrl, { tree: 'device' });
    expect(await signIn.settle()).toMatchObject({ status: 'refused' });
  },
  'a person who leaves': (signIn) => signIn.cancel(),
  'a person who leaves after a false proof': async (signIn) => {
    await approve(signIn.connectUrl, { isFalse: true });
    expect(await signIn.settle()).toMatchObject({ status: 'failed' });
    await signIn.cancel();
  },
  'a policy that no longer allows what was proven': async (signIn, by) => {
    await prove(signIn, by);
    await setPolicy(by, { ...OPEN_POLICY, environments: ['production'] });
  },
};

const MODES: readonly (readonly [type: string, mode: string])[] = [
  ['code', 'query'],
  ['code', 'fragment'],
  ['code', 'form_post'],
  ...['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'].flatMap((type) =>
    ['fragment', 'form_post'].map((mode) => [type, mode] as const),
  ),
];

async function begin(
  type: string,
  mode: string,
  by = client,
  more: SignInParameters = {},
): Promise<PendingSignIn> {
  return await beginSignIn(service.baseUrl, {
    client_id: by.clientId,
    redirect_uri: by.redirectUri,
    response_type: type,
    response_mode: mode,
    scope: 'openid offline_access',
    state: 'a\0 ü&=+',
    nonce: 'the nonce',
    ...more,
  });
}

/** Members of an ID token that are equal each time it is signed. */
function lasting(idToken: string | undefined): unknown {
  if (idToken === undefined) return undefined;
  const { jti: _, iat: __, exp: ___, at_hash: ____, ...claims } = decodeJwt(idToken);
  return claims;
}

/** Expects a repeated response: all of it but the signatures of tokens, which are made again. */
function expectSame(again: SignInAnswer, first: SignInAnswer): void {
  const { id_token: idToken, access_token: accessToken, ...parameters } = first.parameters;
  const { id_token: idTokenAgain, access_token: accessTokenAgain, ...rest } = again.parameters;
  expect(rest).toEqual(parameters);
  expect([again.mode, again.url.split(/[?#]/)[0]]).toEqual([first.mode, first.url.split(/[?#]/)[0]]);
  expect(lasting(idTokenAgain)).toEqual(lasting(idToken));
  expect(typeof accessTokenAgain).toBe(typeof accessToken);
}

/** Expects that the response of a sign-in can no longer be had. */
async function expectOver(signIn: PendingSignIn, detail: string): Promise<void> {
  const answer = await fetch(`${service.baseUrl}/authorize/${signIn.txn}/continue`, {
    redirect: 'manual',
    headers: { cookie: signIn.cookie, accept: 'application/json' },
  });
  expect([answer.status, await answer.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'session_not_found', detail: expect.stringContaining(detail) }),
  ]);
}

describe('the response of a sign-in is given to its browser again', () => {
  const cases = MODES.flatMap(([type, mode]) =>
    Object.keys(GOOD_ENDS).map((end) => [end, type, mode] as const),
  );

  it.each(cases)('after %s: %s by %s', async (end, type, mode) => {
    const signIn = await begin(type, mode);
    await GOOD_ENDS[end]?.(signIn, client);
    const first = await signIn.continue();
    const cookies = first.headers.getSetCookie();
    const answer = await readAnswer(first);
    expect(answer.mode).toBe(mode);
    // Two more at once, one of which answers a lost request.
    for (const again of await Promise.all([signIn.continue(), signIn.continue()])) {
      expect(again.headers.getSetCookie()).toEqual(cookies);
      expectSame(await readAnswer(again), answer);
    }
    const { code } = answer.parameters;
    if (code !== undefined) {
      time += CODE_MS;
      const { code: next, ...others } = (await signIn.finish()).parameters;
      expect(next).toMatch(/^[\w-]{43}$/);
      expect(next).not.toBe(code);
      expect(others.state).toBe(answer.parameters.state);
      expect((await signIn.finish()).parameters.code).toBe(next);
      expect((await redeemCode(service.baseUrl, client, code)).status).toBe(400);
      const tokens = await redeemCode(service.baseUrl, client, next);
      expect(tokens.status).toBe(200);
      const body = (await tokens.json()) as Readonly<Record<string, string>>;
      expect(body.refresh_token !== undefined).toBe(end.endsWith('stays connected'));
      expect(decodeJwt(body.id_token ?? '').sid !== undefined).toBe(end.endsWith('stays signed in'));
      await expectOver(signIn, 'The app has taken the response of this sign-in.');
    } else {
      time += TRANSACTION_MS - 1;
      expectSame(await signIn.finish(), answer);
      time += 1;
      await expectOver(signIn, 'the sign-in is over');
    }
  });

  it.each(MODES.flatMap(([type, mode]) => Object.keys(BAD_ENDS).map((end) => [end, type, mode] as const)))(
    'after %s: the refusal of %s by %s',
    async (end, type, mode) => {
      const by = await service.addClient();
      const begunAt = time;
      const signIn = await begin(type, mode, by, { acr_values: 'orb' });
      await BAD_ENDS[end]?.(signIn, by);
      const answer = await signIn.finish();
      expect(answer.mode).toBe(mode);
      expect(Object.keys(answer.parameters)).toEqual(['error', 'error_description', 'state', 'iss']);
      expect([await signIn.finish(), await signIn.finish()]).toEqual([answer, answer]);
      // What the operator changes meanwhile does not make a success of it.
      await setPolicy(by, OPEN_POLICY);
      time = begunAt + TRANSACTION_MS - 1;
      expect(await signIn.finish()).toEqual(answer);
      time += 1;
      await expectOver(signIn, 'the sign-in is over');
    },
  );

  it('is a refusal if the policy changes after the first time', async () => {
    const by = await service.addClient();
    const signIn = await begin('code', 'query', by);
    await prove(signIn, by);
    expect((await signIn.finish()).parameters).toHaveProperty('code');
    await setPolicy(by, { ...OPEN_POLICY, environments: ['production'] });
    expect((await signIn.finish()).parameters).toMatchObject({ error: 'unauthorized_client' });
  });
});

describe('a repeated response', () => {
  const sessionIn = (response: Response): string | undefined =>
    response.headers
      .getSetCookie()
      .find((line) => line.startsWith('__Host-pg_session_'))
      ?.split(';')[0];
  const staying = async (): Promise<PendingSignIn> => {
    const signIn = await begin('id_token', 'fragment');
    await signIn.agree(['stay']);
    await prove(signIn, client);
    return signIn;
  };
  const silent = async (cookie: string): Promise<Readonly<Record<string, string>>> => {
    const query = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      prompt: 'none',
    });
    const url = `${service.baseUrl}/authorize?${query}`;
    return (await readAnswer(await fetch(url, { redirect: 'manual', headers: { cookie } }))).parameters;
  };
  const go = (signIn: PendingSignIn, cookie: string): Promise<Response> =>
    fetch(`${service.baseUrl}/authorize/${signIn.txn}/continue`, {
      redirect: 'manual',
      headers: { cookie: `${signIn.cookie}; ${cookie}` },
    });

  it('begins no second session: the cookie of the first one works', async () => {
    const signIn = await staying();
    const before = (await service.store.rowCounts()).signin_sessions ?? 0;
    const sessions = [sessionIn(await signIn.continue()), sessionIn(await signIn.continue())];
    expect(sessions).toEqual([sessions[0], sessions[0]]);
    expect((await service.store.rowCounts()).signin_sessions).toBe(before + 1);
    expect(await silent(sessions[0] ?? '')).toHaveProperty('code');
  });

  it('revives no session that has ended, and names none in its tokens', async () => {
    const signIn = await staying();
    const session = sessionIn(await signIn.continue()) ?? '';
    await service.store.sessions.endOfClients([client.clientId]);
    const again = await signIn.continue();
    expect(sessionIn(again)).toBeUndefined();
    expect(decodeJwt((await readAnswer(again)).parameters.id_token ?? '')).not.toHaveProperty('sid');
    expect(await silent(session)).toMatchObject({ error: 'login_required' });
  });

  it('takes no session away that the browser has got since, and removes the cookie of one that has ended', async () => {
    const [older, newer] = [await staying(), await staying()];
    const former = sessionIn(await older.continue()) ?? '';
    const latest = sessionIn(await go(newer, former)) ?? '';
    // The response of the older sign-in comes again: its own session has ended with the newer proof.
    const again = await go(older, latest);
    expect(again.headers.getSetCookie()).toEqual([]);
    const removed = (await go(older, former)).headers.getSetCookie();
    expect(removed).toEqual([expect.stringMatching(/^__Host-pg_session_[^=]+=; Path=\/; Max-Age=0;/)]);
    expect(await silent(latest)).toHaveProperty('code');
  });

  it('is for the browser with the cookie alone', async () => {
    const signIn = await begin('code', 'query');
    await prove(signIn, client);
    await signIn.continue();
    const [name] = signIn.cookie.split('=');
    for (const cookie of ['', `${name}=${'A'.repeat(43)}`]) {
      const headers = { cookie };
      const url = `${service.baseUrl}/authorize/${signIn.txn}/continue`;
      const stranger = await fetch(url, { redirect: 'manual', headers });
      expect([stranger.status, stranger.headers.get('location')]).toEqual([403, null]);
    }
  });

  it('has secrets of which the store has the hashes alone', async () => {
    const signIn = await begin('code', 'query');
    await signIn.agree(['stay']);
    await prove(signIn, client);
    const response = await signIn.continue();
    const { code = '' } = (await readAnswer(response)).parameters;
    const row = await service.store.transactions.find(signIn.txn, time);
    const secrets = [code, signIn.cookie.split('=')[1] ?? '', sessionIn(response)?.split('=')[1] ?? ''];
    for (const secret of secrets) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(service.app.log()).not.toContain(secret);
    }
  });

  it('is counted once', async () => {
    const counted = async (): Promise<number> =>
      Number(/grant="implicit"\} (\d+)/.exec(await metrics())?.[1] ?? 0);
    const metrics = async (): Promise<string> => (await fetch(`${service.app.adminUrl}/metrics`)).text();
    const before = await counted();
    const signIn = await begin('id_token token', 'fragment');
    await prove(signIn, client);
    await Promise.all([signIn.continue(), signIn.continue(), signIn.continue()]);
    await signIn.continue();
    expect(await counted()).toBe(before + 1);
  });
});
