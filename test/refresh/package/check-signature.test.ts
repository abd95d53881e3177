// Rules: spec/refresh.md#package-signature
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import {
  type CustodyPackage,
  makePackage,
  type OrbKeyPair,
  orbKeyPair,
  signManifest,
} from '../../support/refresh/custody-package.ts';
import { judge, keyRow } from './support/check.ts';

const MADE = makePackage();
/** DER of a public key on secp256k1 up to the coordinates of its point. */
const HEAD = Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex');
const ORDER = secp256k1.Point.Fn.ORDER;
const { r: R, s: S } = secp256k1.Signature.fromBytes(Buffer.from(MADE.signature), 'der');

const seq = (...items: readonly Uint8Array[]): Uint8Array => tagged(0x30, Buffer.concat(items));
const int = (content: Uint8Array): Uint8Array => tagged(0x02, content);
const zero = Uint8Array.of(0);

function tagged(tag: number, content: Uint8Array): Uint8Array {
  return Uint8Array.of(tag, content.length, ...content);
}

/** Returns the content of a DER integer: the shortest two's complement of a number ≥ 0. */
function content(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([zero, bytes]) : bytes;
}

/** Returns the content of a negative DER integer of 32 bytes: −value. */
function negative(value: bigint): Uint8Array {
  return Buffer.from(((1n << 256n) - value).toString(16).padStart(64, '0'), 'hex');
}

const [r, s] = [content(R), content(S)];
const der = seq(int(r), int(s));
const body = Buffer.from(der.subarray(2));

describe('the signature of a package', () => {
  it.each(['low', 'high'] as const)('is accepted with %s s', async (which) => {
    const made = makePackage({ s: which });
    const high = secp256k1.Signature.fromBytes(Buffer.from(made.signature), 'der').hasHighS();
    expect(high).toBe(which === 'high');
    expect((await judge(made)).text).toBe('passed');
  });

  it('is the one that this test decomposes', async () => {
    expect(Buffer.from(der)).toEqual(Buffer.from(MADE.signature));
    expect((await judge(MADE, { 'hashes.sign': der })).text).toBe('passed');
    expect((await judge(MADE, { 'hashes.sign': seq(int(r), int(content(ORDER - S))) })).text).toBe('passed');
  });

  it.each<[string, Uint8Array]>([
    ['a byte after the end', Buffer.concat([der, zero])],
    ['a byte after s inside', seq(int(r), int(s), zero)],
    ['a third integer', seq(int(r), int(s), int(zero))],
    ['a length in long form', Buffer.concat([Uint8Array.of(0x30, 0x81, body.length), body])],
    ['a length in longer form', Buffer.concat([Uint8Array.of(0x30, 0x82, 0, body.length), body])],
    ['an indefinite length', Buffer.concat([Uint8Array.of(0x30, 0x80), body, zero, zero])],
    ['the length of r in long form', seq(Buffer.concat([Uint8Array.of(2, 0x81, r.length), r]), int(s))],
    ['the length of s in long form', seq(int(r), Buffer.concat([Uint8Array.of(2, 0x81, s.length), s]))],
    ['r with a zero in front', seq(int(Buffer.concat([zero, r])), int(s))],
    ['s with a zero in front', seq(int(r), int(Buffer.concat([zero, s])))],
    ['negative r', seq(int(negative(R)), int(s))],
    ['negative s', seq(int(r), int(negative(S)))],
    ['r of zero', seq(int(zero), int(s))],
    ['s of zero', seq(int(r), int(zero))],
    ['both of zero', seq(int(zero), int(zero))],
    ['r without content', seq(int(Buffer.alloc(0)), int(s))],
    ['s without content', seq(int(r), int(Buffer.alloc(0)))],
    ['r plus the order', seq(int(content(R + ORDER)), int(s))],
    ['s plus the order', seq(int(r), int(content(S + ORDER)))],
    ['s equal to the order', seq(int(r), int(content(ORDER)))],
    ['both of one', seq(int(content(1n)), int(content(1n)))],
    ['r and s exchanged', seq(int(s), int(r))],
    ['another tag outside', tagged(0x31, body)],
    ['another tag inside', seq(tagged(0x04, r), int(s))],
    ['r alone', seq(int(r))],
    ['an empty sequence', seq()],
    ['the last byte cut', der.subarray(0, -1)],
    ['one byte', Uint8Array.of(0x30)],
    ['r and s side by side', Buffer.concat([content(R).subarray(-32), content(S).subarray(-32)])],
    ['base64', Buffer.from(Buffer.from(der).toString('base64').slice(0, 80))],
    ['hex', Buffer.from(Buffer.from(der).toString('hex').slice(0, 80))],
    ['80 zero bytes', Buffer.alloc(80)],
  ])('is refused with %s', async (_, signature) => {
    expect((await judge(MADE, { 'hashes.sign': signature })).text).toBe('signature hashes.sign');
  });

  it('is refused over the digest of the manifest instead of the manifest', async () => {
    const digest = createHash('sha256').update(MADE.manifest).digest();
    const twice = signManifest(digest, MADE.orbKey);
    expect((await judge(MADE, { 'hashes.sign': twice })).text).toBe('signature hashes.sign');
  });

  it('is refused over another hash', async () => {
    const der512 = signedBy(MADE, 'sha512');
    expect((await judge(MADE, { 'hashes.sign': der512 })).text).toBe('signature hashes.sign');
    expect((await judge(MADE, { 'hashes.sign': signedBy(MADE, 'sha256') })).text).toBe('passed');
  });
});

/** Signs the manifest by OpenSSL with the key of the orb. */
function signedBy({ manifest, orbKey }: CustodyPackage, hash: string): Uint8Array {
  return sign(hash, manifest, privateKeyOf(orbKey));
}

function privateKeyOf({ secretKey }: OrbKeyPair): KeyObject {
  const point = secp256k1.getPublicKey(secretKey, false);
  const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  const [x, y, d] = [encode(point.subarray(1, 33)), encode(point.subarray(33)), encode(secretKey)];
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'secp256k1', x, y, d } });
}

function pemOf(pair: ReturnType<typeof generateKeyPairSync>): string {
  return pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

function derOf(pem: string): Buffer {
  return createPublicKey(pem).export({ type: 'spki', format: 'der' });
}

function pemOfDer(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`;
}

/** Returns the key with its point in hybrid form (06 or 07 by the parity of y), which OpenSSL accepts. */
function hybrid(der: Buffer): Uint8Array {
  const copy = Uint8Array.from(der);
  copy[23] = 6 + ((der.at(-1) ?? 0) & 1);
  return copy;
}

describe('keys of an orb', () => {
  const other = (index: number): OrbKeyPair => orbKeyPair(`another key ${index}`);
  const others = (count: number): ReturnType<typeof keyRow>[] =>
    Array.from({ length: count }, (_, index) => keyRow(other(index)));
  const own = keyRow(MADE.orbKey);

  it('are looked up by the orb id of the package', async () => {
    const lookedUp: string[] = [];
    await judge(MADE, {}, { lookedUp });
    expect(lookedUp).toEqual(['0c1d2e3f']);
  });

  it.each([0, 7, 15])('verify if the key that signed comes after %d others', async (count) => {
    expect((await judge(MADE, {}, { keys: [...others(count), own] })).text).toBe('passed');
  });

  it('are tried up to the sixteenth', async () => {
    const verdict = await judge(MADE, {}, { keys: [...others(16), own] });
    expect(verdict.text).toBe('signature hashes.sign');
  });

  it('count only while they are active', async () => {
    const revoked = keyRow(MADE.orbKey, { status: 'revoked' });
    expect((await judge(MADE, {}, { keys: [revoked] })).text).toBe('orb_key orb_id');
    expect((await judge(MADE, {}, { keys: [...others(1), revoked] })).text).toBe('signature hashes.sign');
    const many = Array.from({ length: 20 }, () => revoked);
    expect((await judge(MADE, {}, { keys: [...many, own] })).text).toBe('passed');
  });

  it.each([
    ['text that is not PEM', 'nonsense'],
    ['empty', ''],
    ['a PEM of other bytes', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
    ['a key on P-256', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))],
    ['an Ed25519 key', pemOf(generateKeyPairSync('ed25519'))],
    ['an RSA key', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }))],
    [
      'the point at infinity',
      pemOfDer(Buffer.from('3016301006072a8648ce3d020106052b8104000a03020000', 'hex')),
    ],
    ['a point off the curve', pemOfDer(Buffer.concat([HEAD, Buffer.alloc(64, 1)]))],
    ['coordinates of zero', pemOfDer(Buffer.concat([HEAD, Buffer.alloc(64)]))],
    ['a byte after the key', pemOfDer(Buffer.concat([derOf(MADE.orbKey.pem), Buffer.of(0)]))],
    ['a hybrid point', pemOfDer(hybrid(derOf(MADE.orbKey.pem)))],
    ['two keys', MADE.orbKey.pem + MADE.orbKey.pem],
    ['a private key', privateKeyOf(MADE.orbKey).export({ type: 'sec1', format: 'pem' }).toString()],
  ])('that cannot be used are logged and verify nothing: %s', async (_, pem) => {
    const warnings: unknown[] = [];
    const broken = keyRow(MADE.orbKey, { pem });
    expect((await judge(MADE, {}, { keys: [broken, own], warnings })).text).toBe('passed');
    const keyId = Buffer.from(MADE.orbKey.keyHash).toString('hex');
    expect(warnings).toEqual([expect.objectContaining({ table: 'orb_keys', keyId })]);
    expect((await judge(MADE, {}, { keys: [broken] })).text).toBe('signature hashes.sign');
  });

  it('on another curve verify nothing that they signed', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signature = sign('sha256', MADE.manifest, pair.privateKey);
    const keys = [keyRow(MADE.orbKey, { pem: pemOf(pair) })];
    expect((await judge(MADE, { 'hashes.sign': signature }, { keys })).text).toBe('signature hashes.sign');
  });

  it('are not looked up for an orb id with NUL, which no database stores', async () => {
    const made = makePackage({ values: { orb_id: '0c1d2e3f\0' } });
    const lookedUp: string[] = [];
    expect((await judge(made, {}, { lookedUp })).text).toBe('orb_key orb_id');
    expect(lookedUp).toEqual([]);
  });
});
