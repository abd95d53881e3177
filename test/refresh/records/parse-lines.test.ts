// Rules: spec/refresh.md#imports, spec/refresh.md#enrolment-records and spec/refresh.md#orb-keys

import { createHash, generateKeyPairSync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { parseEnrolmentLine } from '../../../src/refresh/records/enrolments.ts';
import { LineRefused } from '../../../src/refresh/records/import-lines.ts';
import { parseOrbKeyLine } from '../../../src/refresh/records/orb-keys.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { SCALAR_ORDER } from '../../../src/semaphore/words.ts';

const NOW = 1_800_000_000_000;
const GOOD = {
  id_comm: '0x352340ece4a3509b5a053118e289300e9e9677d135ae1a625219a10923a7e',
  signup_id: 'signup_123',
  orb_id: '0c1d2e3f',
  enrolled_at: 1_700_000_000,
  status: 'active',
};

function lineOf(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...GOOD, ...changes });
}

function refusalOf(parse: (line: string, now: number) => unknown, line: string): LineRefused {
  try {
    parse(line, NOW);
  } catch (error) {
    if (error instanceof LineRefused) return error;
    throw error;
  }
  throw new Error('expected a refusal, but the line was accepted');
}

describe('a line of signups import', () => {
  it('is read as a record, as in the example of the specification', () => {
    const line = `{"id_comm":"${GOOD.id_comm}","signup_id":"signup_123","orb_id":"0c1d2e3f","enrolled_at":1700000000,"status":"active"}`;
    const { idComm, ...rest } = parseEnrolmentLine(line, NOW);
    expect(toHex(idComm)).toBe('0x000352340ece4a3509b5a053118e289300e9e9677d135ae1a625219a10923a7e');
    expect(rest).toEqual({
      signupId: 'signup_123',
      orbId: '0c1d2e3f',
      enrolledAt: 1_700_000_000_000,
      status: 'active',
      updatedAt: NOW,
    });
  });

  it('reads any spelling of one idComm as the same bytes', () => {
    const spellings = ['0x0a', '0xA', `0x${'0'.repeat(63)}a`];
    const all = spellings.map((id_comm) => toHex(parseEnrolmentLine(lineOf({ id_comm }), NOW).idComm));
    expect(new Set(all).size).toBe(1);
  });

  it('is active if it has no status, and may be revoked', () => {
    expect(parseEnrolmentLine(lineOf({ status: undefined }), NOW).status).toBe('active');
    expect(parseEnrolmentLine(lineOf({ status: 'revoked' }), NOW).status).toBe('revoked');
  });

  it.each([
    [0, 0],
    [253_402_300_799, 253_402_300_799_000],
    ['1970-01-01T00:00:00Z', 0],
    ['2023-11-14T22:13:20Z', 1_700_000_000_000],
    ['2023-11-14t22:13:20.123456789z', 1_700_000_000_123],
    ['2023-11-15T00:13:20+02:00', 1_700_000_000_000],
    ['2024-02-29T12:00:00-00:00', 1_709_208_000_000],
  ])('accepts the time %j', (enrolled_at, milliseconds) => {
    expect(parseEnrolmentLine(lineOf({ enrolled_at }), NOW).enrolledAt).toBe(milliseconds);
  });

  it.each([
    -1,
    1.5,
    1_700_000_000_000,
    253_402_300_800,
    '1700000000',
    '',
    'soon',
    '2023-11-14',
    '2023-11-14T22:13Z',
    '2023-11-14T22:13:20',
    '2023-11-14 22:13:20Z',
    '2023-02-29T00:00:00Z',
    '2023-04-31T00:00:00Z',
    '2023-00-10T00:00:00Z',
    '2023-13-10T00:00:00Z',
    '2023-01-00T00:00:00Z',
    '2023-11-14T24:00:00Z',
    '2023-11-14T22:13:60Z',
    '2023-11-14T22:13:20+24:00',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    null,
    true,
    [],
  ])('refuses the time %j', (enrolled_at) => {
    expect(refusalOf(parseEnrolmentLine, lineOf({ enrolled_at })).code).toBe('invalid_time');
  });

  it('refuses a time that is not written as a whole number', () => {
    expect(refusalOf(parseEnrolmentLine, lineOf().replace('1700000000', '1.7e9')).code).toBe('invalid_time');
    expect(refusalOf(parseEnrolmentLine, lineOf().replace('1700000000', '-0')).code).toBe('invalid_time');
  });

  it.each([
    '',
    'abc',
    '352340',
    '0x',
    '0X1',
    '0xg',
    ' 0x1',
    '0x0',
    `0x${'0'.repeat(65)}`,
    `0x${SCALAR_ORDER.toString(16)}`,
    1,
    null,
  ])('refuses the idComm %j', (id_comm) => {
    expect(refusalOf(parseEnrolmentLine, lineOf({ id_comm })).code).toBe('invalid_id_comm');
  });

  it.each([
    ['an unpaired surrogate', '"a\ud800"'],
    ['an escaped unpaired surrogate', '"a\\ud800"'],
    ['nine nested levels', `${'['.repeat(8)}${']'.repeat(8)}`],
  ])('refuses a text with %s as no JSON', (_what, json) => {
    expect(refusalOf(parseEnrolmentLine, lineOf().replace('"signup_123"', json)).code).toBe('not_json');
  });

  it('accepts the largest idComm', () => {
    const id_comm = `0x${(SCALAR_ORDER - 1n).toString(16)}`;
    expect(toHex(parseEnrolmentLine(lineOf({ id_comm }), NOW).idComm)).toBe(id_comm);
  });

  it.each(['signup_id', 'orb_id'])('accepts up to 256 bytes of any text as %s', (name) => {
    const members = { [name]: 'é'.repeat(128) };
    expect(Object.values(parseEnrolmentLine(lineOf(members), NOW))).toContain('é'.repeat(128));
  });

  it.each([
    ['signup_id', ''],
    ['signup_id', `${'é'.repeat(128)}x`],
    ['signup_id', 'a\nb'],
    ['orb_id', '\u0000'],
    ['orb_id', 'a\u0085'],
    ['orb_id', 7],
    ['orb_id', null],
    ['orb_id', ['x']],
  ])('refuses the %s %j, and names only the member', (name, value) => {
    const { code, message } = refusalOf(parseEnrolmentLine, lineOf({ [name]: value }));
    expect(code).toBe('invalid_text');
    expect(message).toBe(`${name}: expected a text of 1 to 256 bytes without control characters`);
  });

  it.each(['pending', 'Active', '', null, 1])('refuses the status %j', (status) => {
    expect(refusalOf(parseEnrolmentLine, lineOf({ status })).code).toBe('invalid_status');
  });

  it.each([
    'x',
    '{',
    '[]',
    'null',
    '"text"',
    `${lineOf()}{}`,
    `${lineOf().slice(0, -1)},"orb_id":"another"}`,
    `${lineOf().slice(0, -1)},"orb\\u005fid":"another"}`,
    lineOf({ orb_id: 'a\uFFFDb' }),
    lineOf({ orb_id: '\uD800' }),
  ])('refuses %j, which is not a JSON object', (line) => {
    expect(refusalOf(parseEnrolmentLine, line).code).toBe('not_json');
  });

  it('names unknown and missing members', () => {
    const unknown = refusalOf(parseEnrolmentLine, lineOf({ idComm: '0x1' }));
    expect(unknown.code).toBe('unknown_member');
    expect(unknown.message).toBe('"idComm", expected id_comm, signup_id, orb_id, enrolled_at, status');
    expect(refusalOf(parseEnrolmentLine, `${lineOf().slice(0, -1)},"__proto__":1}`).code).toBe(
      'unknown_member',
    );
    const missing = refusalOf(parseEnrolmentLine, '{"orb_id":"x"}');
    expect(missing.code).toBe('missing_member');
    expect(missing.message).toBe('id_comm, signup_id, enrolled_at');
  });
});

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

function orbLineOf(keys: unknown, orbId: unknown = '0c1d2e3f'): string {
  return JSON.stringify({ orb_id: orbId, keys });
}

describe('a line of orb-keys import', () => {
  it('is read as keys with the SHA-256 of their DER', () => {
    const { orbId, rows } = parseOrbKeyLine(orbLineOf([pemOf(DER)]), NOW);
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
    const { rows } = parseOrbKeyLine(orbLineOf(spellings), NOW);
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
    const { code, message } = refusalOf(parseOrbKeyLine, orbLineOf([pemOf(DER), make()]));
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
    expect(refusalOf(parseOrbKeyLine, orbLineOf([pem])).code).toBe('invalid_pem');
  });

  it.each([undefined, null, 'x', {}, [], [1], [[]]])('refuses %j in place of the list', (keys) => {
    const { code } = refusalOf(parseOrbKeyLine, orbLineOf(keys));
    expect(code).toBe(keys === undefined ? 'missing_member' : 'invalid_pem');
  });

  it('refuses an orb_id that is not text, and unknown members', () => {
    expect(refusalOf(parseOrbKeyLine, orbLineOf([pemOf(DER)], '')).code).toBe('invalid_text');
    expect(refusalOf(parseOrbKeyLine, orbLineOf([pemOf(DER)], 5)).code).toBe('invalid_text');
    expect(refusalOf(parseOrbKeyLine, JSON.stringify({ orb_id: 'a', keys: [], status: 'active' })).code).toBe(
      'unknown_member',
    );
  });

  function privateKey(): string {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    return key.export({ type: 'pkcs8', format: 'pem' }) as string;
  }
});
