/** The current IDKit with the bridge of this service: its own loop, which polls once a second (`.ci/interop-setup.sh`). */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { type Interop, startInterop } from '../support/interop/relying-party.ts';
import { openRequest } from '../support/test-wallet.ts';

const PACKAGE = new URL('../../.cache/idkit/node_modules/@worldcoin/', import.meta.url);
const isAbsent = !existsSync(PACKAGE);
/** Polls of a request in its life of 15 minutes, at the usual interval of a second. */
const POLLS = 900;
/** Without the interval, the limits see all polls in the same minute. */
const AT_ONCE = { pollInterval: 0 };

/** The part of IDKit that the tests use. */
interface Idkit {
  readonly IDKit: {
    request(config: object): { preset(preset: object): Promise<IdkitRequest> };
  };
  orbLegacy(options: object): object;
}
interface IdkitRequest {
  readonly connectorURI: string;
  pollUntilCompletion(options?: object): Promise<{ readonly success: boolean; readonly error?: string }>;
}
interface Signing {
  signRequest(options: object): Readonly<Record<'sig' | 'nonce' | 'createdAt' | 'expiresAt', unknown>>;
}

describe.skipIf(isAbsent)(
  `@worldcoin/idkit-core 4 with the bridge of this service${isAbsent ? ' [skipped: not in .cache/idkit]' : ''}`,
  () => {
    let interop: Interop;
    let idkit: Idkit;
    let signing: Signing;
    /** Statuses of all polls since the last call. */
    const statuses: number[] = [];

    const start = async (settings: Readonly<Record<string, string>>): Promise<Interop> =>
      await startInterop({ settings: { 'bridge.rootAlias': 'true', ...settings } });

    beforeAll(async () => {
      const { config } = await loadConfig({ env: {}, cwd: '/', flags: {} });
      const limits = Object.entries(config.rateLimits).map(([name, value]) => [
        `rateLimits.${name}`,
        `${value}`,
      ]);
      interop = await start(Object.fromEntries(limits));
      idkit = (await import(new URL('idkit-core/dist/index.js', PACKAGE).href)) as Idkit;
      signing = (await import(new URL('idkit-core/dist/signing.js', PACKAGE).href)) as Signing;
      const { fetch: send } = globalThis;
      vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
        const url = input instanceof Request ? input.url : String(input);
        // The package loads its WebAssembly by fetch, which has no files in Node.
        if (url.startsWith('file:')) {
          const headers = { 'Content-Type': 'application/wasm' };
          return new Response(Uint8Array.from(readFileSync(new URL(url))), { headers });
        }
        const answer = await send(input, init);
        if (url.includes('/response/') && answer.status !== 201) statuses.push(answer.status);
        return answer;
      });
    });
    afterAll(async () => {
      vi.unstubAllGlobals();
      await interop?.end();
    });

    async function ask({ issuer, web }: Interop): Promise<IdkitRequest> {
      const { sig, nonce, createdAt, expiresAt } = signing.signRequest({
        signingKeyHex: `0x${'ab'.repeat(32)}`,
        action: 'vote',
      });
      const request = idkit.IDKit.request({
        app_id: web.clientId,
        action: 'vote',
        bridge_url: issuer,
        environment: 'staging',
        allow_legacy_proofs: true,
        rp_context: {
          rp_id: 'rp_1234567890abcdef',
          nonce,
          signature: sig,
          created_at: createdAt,
          expires_at: expiresAt,
        },
      });
      return await request.preset(idkit.orbLegacy({ signal: 'a signal of the app' }));
    }

    it(`polls ten requests ${POLLS} times each in a minute, and reads the answers of their wallets`, async () => {
      statuses.splice(0);
      const requests = await Promise.all(Array.from({ length: 10 }, () => ask(interop)));
      const results = requests.map((request) => request.pollUntilCompletion(AT_ONCE));
      const isPolled = (): boolean =>
        statuses.length >= 10 * POLLS || statuses.some((status) => status !== 200);
      while (!isPolled()) await new Promise(setImmediate);
      const codes = ['user_rejected', 'world_id_3_not_available', 'nullifier_replayed'];
      for (const [at, { connectorURI }] of requests.entries()) {
        const request = await openRequest(connectorURI);
        expect(await request.answer({ error_code: codes[at % codes.length] })).toBe(201);
      }
      for (const [at, result] of (await Promise.all(results)).entries()) {
        expect(result).toMatchObject({ success: false, error: codes[at % codes.length] });
      }
      expect(new Set(statuses)).toEqual(new Set([200]));
    });

    it('gives up at the first 429, so that an honest page must never get one', async () => {
      const limited = await start({ 'rateLimits.bridgePolls': '5' });
      onTestFinished(() => limited.end());
      statuses.splice(0);
      const request = await ask(limited);
      expect(await request.pollUntilCompletion(AT_ONCE)).toEqual({
        success: false,
        error: 'connection_failed',
      });
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    });
  },
);
