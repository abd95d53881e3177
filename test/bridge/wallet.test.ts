import { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useSharedApp } from '../support/signin/shared-service.ts';

import { call, postRequest, type SentMessage } from './support/bridge-client.ts';

const { subtle } = webcrypto;

async function seal(key: webcrypto.CryptoKey, plain: unknown): Promise<SentMessage> {
  const iv = webcrypto.getRandomValues(new Uint8Array(12));
  const bytes = new TextEncoder().encode(JSON.stringify(plain));
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes);
  return { iv: Buffer.from(iv).toString('base64'), payload: Buffer.from(sealed).toString('base64') };
}

async function open(key: webcrypto.CryptoKey, message: SentMessage): Promise<unknown> {
  const iv = Buffer.from(message.iv, 'base64');
  const plain = await subtle.decrypt({ name: 'AES-GCM', iv }, key, Buffer.from(message.payload, 'base64'));
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain));
}

describe('a sign-in over the bridge', () => {
  it('relays request and answer, which only page and wallet can read', async () => {
    const app = await useSharedApp();
    const bridge = `${app.publicUrl}/bridge`;
    const request = {
      app_id: 'app_staging_45068dca85829d2fd90e2dd6f0bff997',
      action_description: 'Sign in to Demo Shop (shop.example) – größer ☃',
      action: '',
      signal: '0x00199a009b78dde57c323f2f47c1761f4aa26503d7313406cff6fddc8592651b',
      credential_types: ['orb', 'device'],
      verification_level: 'device',
    };

    // The page makes a key, the request, and an address for the wallet.
    const keyBytes = webcrypto.getRandomValues(new Uint8Array(32));
    const pageKey = await subtle.importKey('raw', keyBytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
    const id = await postRequest(bridge, await seal(pageKey, request));
    const k = encodeURIComponent(Buffer.from(keyBytes).toString('base64'));
    const connect = `${app.publicUrl}/wallet#t=wld&i=${id}&k=${k}&b=${encodeURIComponent(bridge)}`;
    const poll = async (): Promise<{ status: string; response: SentMessage | null }> =>
      (await call(bridge, `GET /response/${id}`)).body as { status: string; response: SentMessage | null };
    expect(await poll()).toEqual({ status: 'initialized', response: null });

    // The wallet knows nothing but the address.
    const parts = new URLSearchParams(new URL(connect).hash.slice(1));
    const walletBridge = parts.get('b') ?? '';
    const walletId = parts.get('i') ?? '';
    const walletKey = await subtle.importKey(
      'raw',
      Buffer.from(parts.get('k') ?? '', 'base64'),
      'AES-GCM',
      false,
      ['encrypt', 'decrypt'],
    );
    const taken = (await call(walletBridge, `GET /request/${walletId}`)).body as SentMessage;
    expect(await open(walletKey, taken)).toEqual(request);
    expect(await poll()).toEqual({ status: 'retrieved', response: null });
    const answer = { proof: `0x${'11'.repeat(256)}`, merkle_root: '0x01', nullifier_hash: '0x02' };
    const sealed = await seal(walletKey, answer);
    expect((await call(walletBridge, `PUT /response/${walletId}`, sealed)).status).toBe(201);

    // The page receives the answer.
    const { status, response } = await poll();
    expect(status).toBe('completed');
    if (response === null) throw new Error('completed without an answer');
    expect(response).toEqual(sealed);
    expect(await open(pageKey, response)).toEqual(answer);
    expect((await call(bridge, `GET /response/${id}`)).status).toBe(404);

    const stranger = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['decrypt']);
    await expect(open(stranger, response)).rejects.toThrow();
    expect(app.log()).not.toContain(Buffer.from(keyBytes).toString('base64'));
  });
});
