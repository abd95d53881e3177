/**
 * IDKit 4 with the bridge of this service: its own loop, which polls once a second, and the release before the newest, which
 * creates a session in the older form (`.ci/interop-setup.sh`).
 */
import { existsSync } from 'node:fs';
import { CredentialRequest, IDKit, type IDKitRequest, orbLegacy } from '@worldcoin/idkit-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { type IdkitApp, startIdkitApp } from '../support/interop/idkit.ts';
import { openRequest4, proveRequest4 } from '../support/test-wallet4.ts';

const PACKAGE = new URL(
  '../../.cache/idkit/node_modules/@worldcoin/idkit-core/dist/index.js',
  import.meta.url,
);
const isAbsent = !existsSync(PACKAGE);
/** Polls of a request in its life of 15 minutes, at the usual interval of a second. */
const POLLS = 900;
/** Without the interval, the limits see all polls in the same minute. */
const AT_ONCE = { pollInterval: 0 };

describe('the loop of IDKit', () => {
  let app: IdkitApp;
  /** Statuses of all polls since the last call. */
  const statuses: number[] = [];
  beforeAll(async () => {
    const { config } = await loadConfig({ env: {}, cwd: '/', flags: {} });
    const limits = Object.entries(config.rateLimits).map(([name, value]) => [
      `rateLimits.${name}`,
      `${value}`,
    ]);
    app = await startIdkitApp(Object.fromEntries(limits));
  });
  afterAll(() => app?.end());
  afterEach(() => vi.unstubAllGlobals());

  /** Records the polls, from the next call on. */
  function record(): void {
    statuses.splice(0);
    const { fetch: send } = globalThis;
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const url = input instanceof Request ? input.url : String(input);
      const answer = await send(input, init);
      if (url.includes('/response/') && answer.status !== 201) statuses.push(answer.status);
      return answer;
    });
  }

  const ask = async (of: IdkitApp): Promise<IDKitRequest> =>
    await IDKit.request({ ...of.config('vote'), action: 'vote', allow_legacy_proofs: true }).preset(
      orbLegacy(),
    );

  it(`polls ten requests ${POLLS} times each in a minute, and reads the answers of their wallets`, async () => {
    record();
    const requests = await Promise.all(Array.from({ length: 10 }, () => ask(app)));
    const results = requests.map((request) => request.pollUntilCompletion(AT_ONCE));
    const isPolled = (): boolean =>
      statuses.length >= 10 * POLLS || statuses.some((status) => status !== 200);
    while (!isPolled()) await new Promise(setImmediate);
    const codes = ['user_rejected', 'world_id_3_not_available', 'nullifier_replayed'];
    for (const [at, { connectorURI }] of requests.entries()) {
      const request = await openRequest4(connectorURI);
      expect(await request.answer({ error_code: codes[at % codes.length] })).toBe(201);
    }
    for (const [at, result] of (await Promise.all(results)).entries()) {
      expect(result).toMatchObject({ success: false, error: codes[at % codes.length] });
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('gives up at the first 429, so that an honest page must never get one', async () => {
    const limited = await startIdkitApp({ 'rateLimits.bridgePolls': '5' });
    onTestFinished(() => limited.end());
    record();
    const request = await ask(limited);
    expect(await request.pollUntilCompletion(AT_ONCE)).toEqual({
      success: false,
      error: 'connection_failed',
    });
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

const title = `IDKit 4.2.4${isAbsent ? ' [skipped: not in .cache/idkit]' : ''}`;
describe.skipIf(isAbsent)(title, () => {
  let app: IdkitApp;
  let older: typeof IDKit;
  beforeAll(async () => {
    app = await startIdkitApp();
    ({ IDKit: older } = (await import(PACKAGE.href)) as { readonly IDKit: typeof IDKit });
  });
  afterAll(() => app?.end());

  it('creates a session by create_session, proves it, and the endpoint accepts both', async () => {
    const human = CredentialRequest('proof_of_human');
    const request = await older.createSession(app.config()).constraints(human);
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    const asked = plaintext.proof_request;
    if (asked === undefined) throw new Error('no proof_request');
    expect(plaintext.package_version).toBe('4.2.4');
    expect(asked.proof_type).toBe('create_session');
    expect(asked.session_id ?? null).toBeNull();
    const response = await proveRequest4(asked, app.store);
    await answer(response);
    const { result } = await request.pollOnce();
    if (result === undefined || !('session_id' in result)) throw new Error('no session');
    expect(result.session_id).toBe(response.session_id);
    expect(await app.verify(result)).toMatchObject({ status: 200, body: { session_id: result.session_id } });
    const again = await app.answer(
      await older.proveSession(result.session_id, app.config()).constraints(human),
    );
    expect(await app.verify(again)).toMatchObject({ status: 200, body: { session_id: result.session_id } });
  });
});
