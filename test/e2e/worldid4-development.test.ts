// Rules: spec/worldid4.md#development and spec/worldid4.md#answers
import { describe, expect, it } from 'vitest';
import { exampleCurl4 } from '../../src/verification/offline/development-seed.ts';
import { makeCliFolder } from '../cli/support/cli.ts';
import { FORMS, plaintextFor, proofRequest } from '../development/support/proof-request.ts';
import { opened } from '../support/opened.ts';
import { startApp } from '../support/server/start-app.ts';

const EXAMPLE_APP = 'app_staging_7d23b838b02776cebd87b86ac3248641';
const EXAMPLE_RP = 'rp_319b46aa7eae89bf';
const ADDED_APP = 'app_369183bd38f1641b6964ab51d7a20434';
const ADDED_RP = 'rp_47ac69c81397b357';
const SUCCESS = 'Proof verified successfully';
const SESSION_SUCCESS = 'Session proof verified successfully';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('World ID 4.0 in development', () => {
  const folder = opened(makeCliFolder, 'remove');
  const app = opened(
    () =>
      startApp({
        dataDir: folder.path,
        settings: { 'verify.worldid4.enabled': 'true', 'storage.cacheSeconds': '0' },
      }),
    'stop',
  );

  async function post(path: string, body: unknown, type = 'application/json'): Promise<Answer> {
    const answer = await fetch(app.publicUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  }
  const verify = (request: unknown, rpId = EXAMPLE_RP): Promise<Answer> =>
    post(`/api/v4/verify/${rpId}`, request);
  const makeProof = (body: unknown, type?: string): Promise<Answer> =>
    post('/wallet/api/worldid4-proof', body, type);
  /** Runs `dev prove --protocol 4.0` at the present time and returns the request. */
  const prove = (appId: string, ...options: string[]): Promise<Record<string, unknown>> =>
    folder.json(['dev', 'prove', '--quiet', '--protocol', '4.0', '--app', appId, ...options], {
      now: Date.now(),
    });

  it('is accepted after a start without a command: a new person, then the same one again', async () => {
    expect(app.exampleCurl4).toBe(exampleCurl4(app.verifyUrl));
    expect(app.exampleCurl4).toContain(`--app ${EXAMPLE_APP} --action vote | curl`);
    expect(app.exampleCurl4).toContain(`/api/v4/verify/${EXAMPLE_RP}'`);
    const first = await verify(await prove(EXAMPLE_APP, '--action', 'vote'));
    expect(first).toMatchObject({ status: 200, body: { success: true, message: SUCCESS } });
    const again = await verify(await prove(EXAMPLE_APP, '--action', 'vote', '--signal', 'x'));
    expect(again).toMatchObject({ status: 200, body: { message: `${SUCCESS} (nullifier reuse)` } });
    expect(again.body.nullifier).toBe(first.body.nullifier);
  });

  it('has sessions, which are continued by their id and in which nothing is unique', async () => {
    const first = await prove(EXAMPLE_APP, '--session');
    const id = String(first.session_id);
    const next = await prove(EXAMPLE_APP, '--session', id);
    for (const request of [first, next, next]) {
      expect(await verify(request)).toMatchObject({
        status: 200,
        body: { session_id: id, message: SESSION_SUCCESS },
      });
    }
    const other = await prove(EXAMPLE_APP, '--session');
    expect(await verify({ ...next, session_id: other.session_id })).toMatchObject({ status: 400 });
  });

  it('needs the seed for an app that was added later, and refuses it after its OPRF key is removed', async () => {
    await folder.json(['apps', 'add', '--app-id', ADDED_APP]);
    const wanted = { app_id: ADDED_APP, action: 'vote' };
    expect(await makeProof(wanted)).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('npx proofgate dev worldid4 seed') },
    });
    expect(await folder.json(['dev', 'worldid4', 'seed'])).toMatchObject({
      root: 'kept',
      issuer: 'kept',
      oprf_keys: expect.arrayContaining([ADDED_RP]),
    });
    const request = await prove(ADDED_APP, '--action', 'vote');
    expect(await verify(request, ADDED_RP)).toMatchObject({ status: 200, body: { message: SUCCESS } });
    await folder.run(['oprf-keys', 'remove', '--environment', 'staging', '--rp-id', ADDED_RP, '--yes']);
    expect(await verify(request, ADDED_RP)).toMatchObject({
      status: 400,
      body: { results: [{ code: 'verification_failed', detail: 'The relying party has no OPRF key.' }] },
    });
  });

  describe('POST /wallet/api/worldid4-proof', () => {
    it('answers with a request that verifies, of an action or a session, bound to a signal if there is one', async () => {
      const action = await makeProof({ app_id: EXAMPLE_RP, action: 'wallet', signal: 'my_signal' });
      expect(action).toMatchObject({
        status: 200,
        body: { protocol_version: '4.0', action: 'wallet', environment: 'staging' },
      });
      expect(action.body.responses).toMatchObject([{ signal_hash: expect.stringMatching(/^0x001578ed/) }]);
      expect(await verify(action.body)).toMatchObject({ status: 200, body: { message: SUCCESS } });
      const begun = await makeProof({ app_id: EXAMPLE_APP, session_id: '' });
      const { session_id } = begun.body;
      expect(await verify(begun.body)).toMatchObject({ status: 200, body: { message: SESSION_SUCCESS } });
      const continued = await makeProof({ app_id: EXAMPLE_APP, session_id });
      expect(continued.body.session_id).toBe(session_id);
      expect(await verify(continued.body)).toMatchObject({ status: 200, body: { session_id } });
    });

    const good = { app_id: EXAMPLE_APP, action: 'a' };
    it.each([
      ['no app', { action: 'a' }, 'app_id'],
      ['an unknown app', { ...good, app_id: 'app_staging_0' }, 'app_id'],
      ['an empty action', { ...good, action: '' }, 'action'],
      ['neither action nor session', { app_id: EXAMPLE_APP }, 'action'],
      ['both action and session', { ...good, session_id: '' }, 'action'],
      ['a session id of another form', { app_id: EXAMPLE_APP, session_id: 'session_12' }, 'session_id'],
      ['a signal of 1001 characters', { ...good, signal: 's'.repeat(1001) }, 'signal'],
      ['an unknown member', { ...good, nullifier: '1' }, null],
      ['text that is not JSON', '{', null],
    ])('refuses %s with 400 and the attribute', async (_, body, attribute) => {
      expect(await makeProof(body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', attribute },
      });
    });

    it('refuses what a page of another origin can send without a preflight', async () => {
      expect(await makeProof(good, 'text/plain')).toMatchObject({
        status: 400,
        body: { code: 'invalid_content_type' },
      });
    });

    it('makes at most 60 proofs a minute for an address', async () => {
      // The minute that the service counts may end in between; then the next one is filled.
      const sendMore = async (): Promise<Answer> => {
        const sent = Array.from({ length: 61 }, async () => (await makeProof('{')).status);
        expect(await Promise.all(sent)).toContain(429);
        return await makeProof(good);
      };
      await expect.poll(sendMore).toMatchObject({ status: 429, body: { code: 'rate_limit' } });
    });
  });

  describe('POST /wallet/api/worldid4-answer', () => {
    const good = () => ({
      request: plaintextFor(proofRequest(EXAMPLE_RP, Date.now())),
      account_secret: `0x${'0a'.repeat(32)}`,
      wallet: 'new',
    });
    const answer = (body: unknown, type?: string): Promise<Answer> =>
      post('/wallet/api/worldid4-answer', body, type);

    it('makes the answer of an account, whose nullifier is the same each time', async () => {
      const [one, other] = [await answer(good()), await answer({ ...good(), wallet: 'old', lacks: ['mnc'] })];
      expect(one).toMatchObject({
        status: 200,
        body: { answer: { proof_response: { version: 1 } }, nullifier: expect.stringMatching(/^nil_/) },
      });
      expect(other.body.nullifier).toBe(one.body.nullifier);
      const another = await answer({ ...good(), account_secret: `0x${'0b'.repeat(32)}` });
      expect(another.body.nullifier).not.toBe(one.body.nullifier);
      const session = await answer({
        ...good(),
        request: plaintextFor(proofRequest(EXAMPLE_RP, Date.now(), FORMS['session create'])),
      });
      expect(session.body).toEqual({ answer: expect.objectContaining({}) });
    });

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ['malformed_request', { request: { proof_request: null } }],
      ['malformed_request', { request: plaintextFor({ proof_requests: 'x'.repeat(10_000) }) }],
      ['credential_unavailable', { lacks: ['proof_of_human'] }],
    ])('answers with the refusal %s', async (errorCode, change) => {
      expect(await answer({ ...good(), ...change })).toMatchObject({
        status: 200,
        body: { error_code: errorCode, reason: expect.any(String) },
      });
    });

    it.each([
      ['no request', { request: undefined }, 'request'],
      ['a request without proof_request', { request: {} }, 'proof_request'],
      ['a short secret', { account_secret: '0x01' }, 'account_secret'],
      ['a secret beyond the field', { account_secret: `0x${'f'.repeat(64)}` }, 'account_secret'],
      ['another kind of wallet', { wallet: 'newest' }, 'wallet'],
      ['too many credentials', { lacks: Array.from({ length: 17 }, () => 'mnc') }, 'lacks'],
      ['an unknown member', { trapdoor: '0x01' }, null],
    ])('refuses %s with 400', async (_, change, attribute) => {
      expect(await answer({ ...good(), ...change })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', attribute },
      });
    });

    it('refuses what a page of another origin can send without a preflight', async () => {
      const refused = { status: 400, body: { code: 'invalid_content_type' } };
      expect(await answer(good(), 'text/plain')).toMatchObject(refused);
    });

    it('makes at most 60 answers a minute for an address', async () => {
      const sendMore = async (): Promise<Answer> => {
        const sent = Array.from({ length: 61 }, async () => (await answer('{')).status);
        expect(await Promise.all(sent)).toContain(429);
        return await answer(good());
      };
      await expect.poll(sendMore).toMatchObject({ status: 429, body: { code: 'rate_limit' } });
    });
  });
});
