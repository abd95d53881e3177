import { describe, expect, it } from 'vitest';
import { seal, unseal } from '../../../src/client/wallet/calls/bridge-client.ts';
import { sealText as sealByNode, unseal as unsealByNode } from '../../support/crypto/sealed-message.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

describe('a message on the bridge', () => {
  it('can be opened by another implementation of AES-256-GCM, with the tag after the ciphertext', async () => {
    const value = { error_code: 'verification_rejected', name: 'Žluťoučký 人' };
    expect(unsealByNode(key, await seal(key, value))).toEqual(value);
  });

  it('of another implementation can be opened', async () => {
    expect(await unseal(key, sealByNode(key, '{"app_id":"app_1"}'))).toEqual({ app_id: 'app_1' });
  });

  it('has a new IV of 12 bytes each time', async () => {
    const messages = await Promise.all(Array.from({ length: 20 }, () => seal(key, {})));
    expect(new Set(messages.map(({ iv }) => iv)).size).toBe(20);
    for (const { iv } of messages) expect(Buffer.from(iv, 'base64')).toHaveLength(12);
  });

  it('is refused under another key', async () => {
    const sealed = await seal(key, { app_id: 'app_1' });
    await expect(
      unseal(
        key.map((byte) => byte ^ 1),
        sealed,
      ),
    ).rejects.toMatchObject({ fault: 'key' });
  });

  it('is refused if a bit of it was changed', async () => {
    const { iv, payload } = await seal(key, { app_id: 'app_1' });
    const bytes = Buffer.from(payload, 'base64');
    bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
    await expect(unseal(key, { iv, payload: bytes.toString('base64') })).rejects.toMatchObject({
      fault: 'key',
    });
  });

  it.each([
    ['base64url', { iv: '-_-_-_-_-_-_-_-_', payload: 'AAAA' }],
    ['an IV of 16 bytes', { iv: Buffer.alloc(16).toString('base64'), payload: 'AAAA' }],
    ['base64 without padding', { iv: Buffer.alloc(12).toString('base64'), payload: 'AAA' }],
    ['a plaintext that is not JSON', sealByNode(key, 'hello')],
    ['a plaintext that is not UTF-8', sealByNode(key, Uint8Array.of(0x22, 0xff, 0x22))],
  ])('is refused with %s', async (_, message) => {
    await expect(unseal(key, message)).rejects.toMatchObject({ fault: 'key' });
  });
});
