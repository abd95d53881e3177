// Rules: spec/refresh.md#imports and spec/refresh.md#orb-keys
import { createHash, generateKeyPairSync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { LineRefused } from '../../../src/refresh/records/import-lines.ts';
import { parseOrbKeyLine } from '../../../src/refresh/records/orb-keys.ts';

const NOW = 1_800_000_000_000;
/** SPKI of a named secp256k1 key up to its point (RFC 5480), uncompressed and compressed. */
const UNCOMPRESSED_HEAD = '3056301006072a8648ce3d020106052b8104000a034200';
const COMPRESSED_HEAD = '3036301006072a8648ce3d020106052b8104000a032200';
const SECRET = new Uint8Array(32).fill(7);
const POINT = Buffer.from(secp256k1.getPublicKey(SECRET, false));
const DER = Buffer.from(`${UNCOMPRESSED_HEAD}${POINT.toString('hex')}`, 'hex');

function pemOf(der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
}

function withPoint(head: string, point: string): string {
  return pemOf(Buffer.from(`${head}${point}`, 'hex'));
}

function otherKey(options: { readonly namedCurve: string; readonly paramEncoding?: 'explicit' }): string {
  const { publicKey } = generateKeyPairSync('ec', options);
  return publicKey.export({ type: 'spki', format: 'pem' }) as string;
}

function lineOf(keys: unknown, orbId: unknown = '0c1d2e3f'): string {
  return JSON.stringify({ orb_id: orbId, keys });
}

function refusalOf(line: string): LineRefused {
  try {
    parseOrbKeyLine(line, NOW);
  } catch (error) {
    if (error instanceof LineRefused) return error;
    throw error;
  }
  throw new Error('expected a refusal, but the line was accepted');
}

describe('a line of orb-keys import', () => {
  it('is read as keys with the SHA-256 of their DER', () => {
    const { orbId, rows } = parseOrbKeyLine(lineOf([pemOf(DER)]), NOW);
    expect(orbId).toBe('0c1d2e3f');
    expect(rows).toEqual([
      {
        orbId: '0c1d2e3f',
        keyHash: createHash('sha256').update(DER).digest(),
        pem: pemOf(DER),
        status: 'active',
        addedAt: NOW,
      },
    ]);
  });

  it('reads line ends of either kind, long lines and compressed points as the same key, once', () => {
    const compressed = Buffer.from(secp256k1.getPublicKey(SECRET, true)).toString('hex');
    const spellings = [
      pemOf(DER),
      pemOf(DER).replaceAll('\n', '\r\n'),
      `\n${pemOf(DER)}\n`,
      `-----BEGIN PUBLIC KEY-----\n${DER.toString('base64')}\n-----END PUBLIC KEY-----`,
      withPoint(COMPRESSED_HEAD, compressed),
    ];
    const { rows } = parseOrbKeyLine(lineOf(spellings), NOW);
    expect(rows.map(({ pem }) => pem)).toEqual([pemOf(DER)]);
  });

  it.each([
    ['the curve P-256', () => otherKey({ namedCurve: 'prime256v1' })],
    ['explicit parameters', () => otherKey({ namedCurve: 'secp256k1', paramEncoding: 'explicit' })],
    [
      'an Ed25519 key',
      () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
    ],
    [
      'an RSA key',
      () =>
        generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }),
    ],
  ])('refuses %s as a wrong curve', (_what, make) => {
    const { code, message } = refusalOf(lineOf([pemOf(DER), make()]));
    expect(code).toBe('wrong_curve');
    expect(message).toBe('keys[1]: expected a public key on the named curve secp256k1');
  });

  const y = POINT.subarray(33).toString('hex');
  const x = POINT.subarray(1, 33).toString('hex');
  const hybrid = (Number.parseInt(y.slice(-1), 16) & 1) === 1 ? '07' : '06';
  it.each([
    ['text', 'key'],
    ['an empty text', ''],
    ['a block without content', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n'],
    ['bad base64', pemOf(DER).replace('M', '!')],
    ['base64 of another length', pemOf(DER).replace('M', '')],
    ['a private key', privateKey()],
    ['a block of another name', pemOf(DER).replaceAll('PUBLIC KEY', 'EC PUBLIC KEY')],
    ['two blocks', pemOf(DER) + pemOf(DER)],
    ['text before the block', `key:\n${pemOf(DER)}`],
    ['a byte after the key', pemOf(Buffer.concat([DER, Buffer.from([0])]))],
    ['a truncated key', pemOf(DER.subarray(0, -1))],
    ['a hybrid point', withPoint(UNCOMPRESSED_HEAD, `${hybrid}${x}${y}`)],
    ['a point off the curve', withPoint(UNCOMPRESSED_HEAD, `04${x}${x}`)],
    ['a compressed point off the curve', withPoint(COMPRESSED_HEAD, `02${'00'.repeat(31)}05`)],
    // Node 20 ends the process when the curve of this key is read
    ['the point at infinity', withPoint('3016301006072a8648ce3d020106052b8104000a03020000', '')],
    ['coordinates above the field', withPoint(UNCOMPRESSED_HEAD, `04${'ff'.repeat(64)}`)],
    ['other DER', pemOf(Buffer.from('0403010203', 'hex'))],
  ])('refuses %s', (_what, pem) => {
    expect(refusalOf(lineOf([pem])).code).toBe('invalid_pem');
  });

  it.each([undefined, null, 'x', {}, [], [1], [[]]])('refuses %j in place of the list', (keys) => {
    const { code } = refusalOf(lineOf(keys));
    expect(code).toBe(keys === undefined ? 'missing_member' : 'invalid_pem');
  });

  it('refuses an orb_id that is not text, and unknown members', () => {
    expect(refusalOf(lineOf([pemOf(DER)], '')).code).toBe('invalid_text');
    expect(refusalOf(lineOf([pemOf(DER)], 5)).code).toBe('invalid_text');
    expect(refusalOf(JSON.stringify({ orb_id: 'a', keys: [], status: 'active' })).code).toBe(
      'unknown_member',
    );
  });

  function privateKey(): string {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    return key.export({ type: 'pkcs8', format: 'pem' }) as string;
  }
});
