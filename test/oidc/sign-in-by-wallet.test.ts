import { describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../src/config/apps/policy.ts';
import type { Verdict } from '../../src/engine/engine.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createMetrics } from '../../src/observability/metrics/metrics.ts';
import { createWalletSignIn } from '../../src/oidc/mobile-auth.ts';
import { hashSignal } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import type { AppRow } from '../../src/storage/apps/apps.ts';
import type { RootRow } from '../../src/storage/roots.ts';
import { proveRequest, walletRoots } from '../support/test-wallet.ts';

const APP_ID = `app_staging_${'1'.repeat(32)}`;
const CLIENT: AppRow = {
  appId: APP_ID,
  rpId: 'rp_1',
  name: 'Demo Shop',
  status: 'active',
  verification: 'registered',
  isDevelopment: true,
  client: { ...DEFAULT_CLIENT, redirectUris: ['https://shop.example/cb'], signalIsNonce: true },
  policy: OPEN_POLICY,
  hasLogo: false,
  createdAt: 0,
  updatedAt: 0,
};

/** Creates a sign-in whose engine returns this verdict, and records what it stores. */
function signInUnder(verdict: Verdict) {
  const [root] = walletRoots('staging', 0) as [RootRow];
  const issued: unknown[] = [];
  const sources: unknown[] = [];
  const metrics = createMetrics();
  metrics.close();
  const signIn = createWalletSignIn({
    clients: { find: async () => CLIENT },
    worldId4: undefined,
    readHint: async () => undefined,
    responder: {
      success: async ({ redirectUri, responseMode: mode }) => ({
        response: { mode, redirectUri, parameters: [] },
        code: undefined,
        hasAccessToken: false,
      }),
    },
    grants: {
      async issue(code) {
        issued.push(code);
        return true;
      },
    },
    engine: {
      async verify(_keyId, _proof, _inputs, options) {
        sources.push(options?.source);
        return verdict;
      },
    },
    keys: {
      keyOf: () => undefined,
      has: () => true,
      ensure: async () => undefined,
      inputCountOf: async () => 4,
      prepare: async () => [],
    },
    roots: { peek: () => undefined, find: async () => root },
    maxRootAgeSeconds: 3600,
    metrics,
    now: () => 0,
    onFault: () => undefined,
  });
  const facts: { client: string | undefined } = { client: undefined };
  return { signIn, facts, issued, sources, metrics };
}

async function bodyOf(): Promise<Uint8Array> {
  const proof = await proveRequest({ app_id: APP_ID, signal: toHex(hashSignal('n')) });
  const request = {
    client_id: APP_ID,
    redirect_uri: 'https://shop.example/cb',
    response_type: 'code',
    scope: 'openid',
    nonce: 'n',
  };
  return new TextEncoder().encode(JSON.stringify({ ...request, ...proof }));
}

describe('a sign-in by a wallet', () => {
  it.each(['engine.busy', 'engine.draining'] as const)(
    'can be repeated after %s, because nothing is spent',
    async (code) => {
      const { signIn, facts, issued, metrics } = signInUnder({ ok: false, code });
      const refusal = await signIn(await bodyOf(), 'a', facts).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ServiceError);
      expect(refusal).toMatchObject({ code: 'http.unavailable' });
      expect(facts.client).toBe(APP_ID);
      expect(issued).toEqual([]);
      expect(await metrics.exposition()).not.toContain('signin_transactions_total{result="completed"}');
    },
  );

  it('passes its address and app to the engine as the source of the proof', async () => {
    const { signIn, facts, sources } = signInUnder({ ok: true });
    await signIn(await bodyOf(), '192.0.2.7', facts);
    expect(sources).toEqual([{ address: '192.0.2.7', app: APP_ID }]);
  });

  it('is counted as begun and completed', async () => {
    const { signIn, facts, issued, metrics } = signInUnder({ ok: true });
    expect(await signIn(await bodyOf(), 'a', facts)).toMatchObject({ mode: 'query' });
    expect(facts.client).toBe(APP_ID);
    expect(issued).toEqual([undefined]);
    const exposed = await metrics.exposition();
    expect(exposed).toContain('proofgate_signin_transactions_total{result="begun"} 1');
    expect(exposed).toContain('proofgate_signin_transactions_total{result="completed"} 1');
  });
});
