import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Interop, startInterop } from '../support/interop/relying-party.ts';
import { openRequest, proveRequest } from '../support/test-wallet.ts';

type Idkit = typeof import('@worldcoin/idkit-core');
type WorldBridgeStore = ReturnType<ReturnType<Idkit['createWorldBridgeStore']>['getState']>;

let interop: Interop;
let idkit: Idkit;
beforeAll(async () => {
  // the package detects a browser by window.document, and encrypts with window.crypto
  vi.stubGlobal('window', { crypto: globalThis.crypto, document: {} });
  idkit = await import('@worldcoin/idkit-core');
  vi.spyOn(console, 'log').mockImplementation(() => {});
  interop = await startInterop({ settings: { 'bridge.rootAlias': 'true' } });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await interop?.end();
});

/** Creates an IDKit store of an app, which has put a request on the bridge. Returns its state getter. */
async function createClient(
  level: 'Orb' | 'Device' = 'Device',
  bridge_url: string = `${interop.issuer}/bridge`,
): Promise<() => WorldBridgeStore> {
  const store = idkit.createWorldBridgeStore();
  await store.getState().createClient({
    app_id: interop.web.clientId as `app_${string}`,
    action: '',
    signal: 'a signal of the app',
    action_description: 'Vote',
    bridge_url,
    verification_level: idkit.VerificationLevel[level],
  });
  return store.getState;
}

async function poll(state: () => WorldBridgeStore): Promise<string> {
  await state().pollForUpdates();
  return state().verificationState;
}

describe('@worldcoin/idkit-core with the bridge of this service', () => {
  it('goes from awaiting_connection through awaiting_app to confirmed', async () => {
    const state = await createClient();
    expect(state().verificationState).toBe('awaiting_connection');
    expect(await poll(state)).toBe('awaiting_connection');
    const request = await openRequest(state().connectorURI ?? '');
    expect(request.plaintext).toMatchObject({
      app_id: interop.web.clientId,
      action_description: 'Vote',
      credential_types: ['orb', 'device'],
      verification_level: 'device',
    });
    expect(await poll(state)).toBe('awaiting_app');
    const answer = await proveRequest(request.plaintext);
    expect(await request.answer(answer)).toBe(201);
    expect(await poll(state)).toBe('confirmed');
    expect(state().result).toEqual(answer);
  });

  it('requests only orb, and confirms the answer of an older wallet', async () => {
    const state = await createClient('Orb');
    const request = await openRequest(state().connectorURI ?? '');
    expect(request.plaintext).toMatchObject({ credential_types: ['orb'], verification_level: 'orb' });
    const { verification_level: credential_type, ...answer } = await proveRequest(request.plaintext);
    expect(await request.answer({ ...answer, credential_type })).toBe(201);
    expect(await poll(state)).toBe('confirmed');
    expect(state().result).toEqual({ ...answer, credential_type, verification_level: 'orb' });
  });

  it('confirms with the bridge at an origin without a path, the only form it accepts outside loopback', async () => {
    const state = await createClient('Device', interop.issuer);
    const request = await openRequest(state().connectorURI ?? '');
    expect(request.link.bridge).toBe(interop.issuer);
    expect(await request.answer(await proveRequest(request.plaintext))).toBe(201);
    expect(await poll(state)).toBe('confirmed');
  });

  it('fails with the code of a wallet that rejects', async () => {
    const state = await createClient();
    const request = await openRequest(state().connectorURI ?? '');
    expect(await request.answer({ error_code: 'verification_rejected' })).toBe(201);
    expect(await poll(state)).toBe('failed');
    expect(state().errorCode).toBe('verification_rejected');
  });

  it('fails when the answer was already taken, as after the expiry of a request', async () => {
    const state = await createClient();
    const request = await openRequest(state().connectorURI ?? '');
    await request.answer({ error_code: 'verification_rejected' });
    const { requestId } = request.link;
    expect((await fetch(`${interop.issuer}/response/${requestId}`)).status).toBe(200);
    expect(await poll(state)).toBe('failed');
    expect(state().errorCode).toBe('connection_failed');
  });
});
