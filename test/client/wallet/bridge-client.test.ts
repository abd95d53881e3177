import { describe, expect, it } from 'vitest';
import {
  DEFAULT_BRIDGE,
  parseConnectLink,
  seal,
  unseal,
} from '../../../src/client/wallet/calls/bridge-client.ts';
import { sealText as sealByNode, unseal as unsealByNode } from '../../support/crypto/sealed-message.ts';

const ID = '0c1d9f0e-7a52-4a53-9d37-5a5a9e1f0b11';
const KEY_BYTES = Uint8Array.from({ length: 32 }, (_, index) => 0xfb - index);
const KEY = Buffer.from(KEY_BYTES).toString('base64');
const BRIDGE = 'https://id.example/base/bridge';

function members(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const all = { t: 'wld', i: ID, k: KEY, b: BRIDGE, ...changes };
  return Object.entries(all)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
}

describe('a connect link', () => {
  const expected = { requestId: ID, key: KEY_BYTES, bridge: BRIDGE };

  it('is read from the fragment, from the query and from its bare members', () => {
    expect(KEY).toContain('+');
    expect(parseConnectLink(`https://id.example/wallet#${members()}`)).toEqual(expected);
    expect(parseConnectLink(`https://world.org/verify?${members()}`)).toEqual(expected);
    expect(parseConnectLink(`  ${members()}\n`)).toEqual(expected);
  });

  it('prefers the fragment, which no server sees', () => {
    const other = members({ i: 'another-request-id' });
    expect(parseConnectLink(`https://id.example/wallet?${other}#${members()}`)).toEqual(expected);
  });

  it('is read from the query if the fragment is something else', () => {
    expect(parseConnectLink(`https://id.example/wallet?${members()}#identities`)).toEqual(expected);
  });

  it('may contain members that the wallet does not know', () => {
    const link = `https://id.example/wallet#${members()}&partner=true`;
    expect(parseConnectLink(link)).toEqual(expected);
  });

  it('may name where the app wants the person back', () => {
    const link = `https://id.example/wallet#${members()}&return_to=https%3A%2F%2Fshop.example`;
    expect(parseConnectLink(link)).toEqual({ ...expected, returnTo: 'https://shop.example' });
  });

  it('may contain the plus signs of its key unescaped', () => {
    const raw = members({ k: undefined });
    expect(parseConnectLink(`https://id.example/wallet#${raw}&k=${KEY}`)).toEqual(expected);
  });

  it('uses the public bridge if it names none', () => {
    expect(parseConnectLink(`#${members({ b: undefined })}`)?.bridge).toBe(DEFAULT_BRIDGE);
  });

  it('drops a slash at the end of the bridge', () => {
    expect(parseConnectLink(`#${members({ b: 'http://127.0.0.1:8080/' })}`)?.bridge).toBe(
      'http://127.0.0.1:8080',
    );
  });

  it.each(['https://id.example/wallet', 'https://id.example/wallet#identities', '', 'hello'])(
    'is absent in %j',
    (text) => {
      expect(parseConnectLink(text)).toBeUndefined();
    },
  );

  it.each([
    ['another kind', { t: 'other' }, 'its kind t is not "wld"'],
    ['no kind', { t: undefined }, 'its kind t is missing'],
    ['no request id', { i: undefined }, 'its request id i'],
    ['a short request id', { i: 'fifteen-chars-x' }, 'its request id i'],
    ['a request id that leaves its path', { i: '../../../../etc/passwd' }, 'its request id i'],
    ['no key', { k: undefined }, 'its key k'],
    ['a key of 31 bytes', { k: Buffer.alloc(31).toString('base64') }, 'its key k'],
    ['a key in base64url', { k: Buffer.from(KEY_BYTES).toString('base64url') }, 'its key k'],
    ['a bridge that is not an address', { b: 'bridge' }, 'must begin with https://'],
    ['a bridge that is a script', { b: 'javascript:alert(1)' }, 'must begin with https://'],
    ['a bridge with a password', { b: 'https://a:b@id.example/bridge' }, 'must hold no name'],
    ['a bridge with a query', { b: 'https://id.example/bridge?x=1' }, 'must hold no name'],
  ])('is refused with %s', (_, changes, reason) => {
    const link = `https://id.example/wallet#${members(changes)}`;
    expect(() => parseConnectLink(link)).toThrow(expect.objectContaining({ fault: 'link' }));
    expect(() => parseConnectLink(link)).toThrow(reason);
  });
});

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
