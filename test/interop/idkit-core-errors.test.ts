/** Error codes of IDKit 4: what it makes of those of wallets, and that sign-in knows each of them. */
import { IDKit, IDKitErrorCodes, proofOfHuman } from '@worldcoin/idkit-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walletErrorOf } from '../../src/oidc/transaction/reasons.ts';
import { type IdkitApp, startIdkitApp } from '../support/interop/idkit.ts';
import { openRequest4 } from '../support/test-wallet4.ts';

const CODES: readonly string[] = Object.values(IDKitErrorCodes);
/** Codes that IDKit itself makes; from a wallet it does not take them. */
const OWN_CODES: readonly string[] = ['invalid_rp_id_format', 'timeout', 'cancelled'];
/** Other names of codes, with what IDKit makes of `error_code` and of the `error` of a proof response. */
const ALIASES: readonly [sent: string, asErrorCode: string, asError: string][] = [
  ['nullifier_replay', 'generic_error', 'nullifier_replayed'],
  ['identity_attribute_mismatch', 'identity_attributes_not_matched', 'identity_attributes_not_matched'],
];
const FORMS: Readonly<Record<string, (id: string, code: string) => object>> = {
  error_code: (_, error_code) => ({ error_code }),
  bare: (id, error) => ({ id, version: 1, error, responses: [] }),
  wrapped: (id, error) => ({ proof_response: { id, version: 1, error, responses: [] } }),
};

let app: IdkitApp;
beforeAll(async () => {
  app = await startIdkitApp();
});
afterAll(async () => {
  await app?.end();
});

const ask = (config = app.config('vote')) =>
  IDKit.request({ ...config, action: 'vote', allow_legacy_proofs: true }).preset(proofOfHuman());

/** Sends a code of a wallet in each form. Returns the codes that the app sees. */
async function codesOf(code: string): Promise<Record<string, string | undefined>> {
  const seen: Record<string, string | undefined> = {};
  for (const [name, form] of Object.entries(FORMS)) {
    const request = await ask();
    const { plaintext, answer } = await openRequest4(request.connectorURI);
    expect(await answer(form(plaintext.proof_request?.id ?? '', code))).toBe(201);
    seen[name] = (await request.pollOnce()).error;
  }
  return seen;
}

describe('each error code of IDKit', () => {
  it.each(CODES)('%s reaches the app over the bridge', async (code) => {
    const shown = OWN_CODES.includes(code) ? 'generic_error' : code;
    expect(await codesOf(code)).toEqual({ error_code: shown, bare: shown, wrapped: shown });
  });

  it.each(ALIASES)('%s reaches it under its other name', async (sent, asErrorCode, asError) => {
    expect(await codesOf(sent)).toEqual({ error_code: asErrorCode, bare: asError, wrapped: asError });
  });

  it('is one that sign-in knows, from a wallet and in every form', () => {
    const unknown = CODES.filter((code) => code !== 'generic_error').filter((code) =>
      Object.values(FORMS).some((form) => walletErrorOf({ ...form('', code) }) === 'generic_error'),
    );
    expect(CODES.length).toBeGreaterThan(20);
    expect(unknown).toEqual([]);
    expect(walletErrorOf({ error_code: 'a_code_of_tomorrow' })).toBe('generic_error');
    for (const [sent, , known] of ALIASES) expect(walletErrorOf({ error_code: sent })).toBe(known);
  });
});

describe('IDKit itself', () => {
  it('ends a request after its own time limit and by its signal', async () => {
    const request = await ask();
    expect(await request.pollUntilCompletion({ timeout: -1 })).toEqual({ success: false, error: 'timeout' });
    const signal = AbortSignal.abort();
    expect(await request.pollUntilCompletion({ signal })).toEqual({ success: false, error: 'cancelled' });
  });

  it.each<[string, object, string]>([
    ['an rp_id in another form', { rp_id: 'rp_x' }, 'Invalid RP ID'],
    ['a signature that ends before it begins', { expires_at: 1 }, 'expires_at'],
    ['a signature of the future', { created_at: 4_000_000_000, expires_at: 4_000_000_300 }, 'created_at'],
    ['a nonce that is no element of the field', { nonce: '0x1' }, 'nonce'],
  ])('refuses %s', async (_, change, message) => {
    const config = app.config('vote');
    const changed = { ...config, rp_context: { ...config.rp_context, ...change } };
    await expect(ask(changed)).rejects.toThrow(message);
  });

  it('wants another bridge at an https origin on port 443, unless the app is a staging one', async () => {
    const app_id = 'app_1234567890abcdef1234567890abcdef' as const;
    const withBridge = (bridge_url: string) => ask({ ...app.config('vote'), app_id, bridge_url });
    await expect(withBridge(app.interop.issuer)).rejects.toThrow('HTTPS');
    await expect(withBridge('https://bridge.example:8443')).rejects.toThrow('443');
    await expect(withBridge('https://bridge.example/bridge')).rejects.toThrow('path');
  });
});
