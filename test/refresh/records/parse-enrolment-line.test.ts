// Rules: spec/refresh.md#imports and spec/refresh.md#enrolment-records
import { describe, expect, it } from 'vitest';
import { parseEnrolmentLine } from '../../../src/refresh/records/enrolments.ts';
import { LineRefused } from '../../../src/refresh/records/import-lines.ts';
import { SCALAR_ORDER, toHex } from '../../../src/semaphore/index.ts';

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

function refusalOf(line: string): LineRefused {
  try {
    parseEnrolmentLine(line, NOW);
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
    expect(refusalOf(lineOf({ enrolled_at })).code).toBe('invalid_time');
  });

  it('refuses a time that is not written as a whole number', () => {
    expect(refusalOf(lineOf().replace('1700000000', '1.7e9')).code).toBe('invalid_time');
    expect(refusalOf(lineOf().replace('1700000000', '-0')).code).toBe('invalid_time');
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
    expect(refusalOf(lineOf({ id_comm })).code).toBe('invalid_id_comm');
  });

  it.each([
    ['an unpaired surrogate', '"a\ud800"'],
    ['an escaped unpaired surrogate', '"a\\ud800"'],
    ['nine nested levels', `${'['.repeat(8)}${']'.repeat(8)}`],
  ])('refuses a text with %s as no JSON', (_what, json) => {
    expect(refusalOf(lineOf().replace('"signup_123"', json)).code).toBe('not_json');
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
    const { code, message } = refusalOf(lineOf({ [name]: value }));
    expect(code).toBe('invalid_text');
    expect(message).toBe(`${name}: expected a text of 1 to 256 bytes without control characters`);
  });

  it.each(['pending', 'Active', '', null, 1])('refuses the status %j', (status) => {
    expect(refusalOf(lineOf({ status })).code).toBe('invalid_status');
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
    expect(refusalOf(line).code).toBe('not_json');
  });

  it('names unknown and missing members', () => {
    const unknown = refusalOf(lineOf({ idComm: '0x1' }));
    expect(unknown.code).toBe('unknown_member');
    expect(unknown.message).toBe('"idComm", expected id_comm, signup_id, orb_id, enrolled_at, status');
    expect(refusalOf(`${lineOf().slice(0, -1)},"__proto__":1}`).code).toBe('unknown_member');
    const missing = refusalOf('{"orb_id":"x"}');
    expect(missing.code).toBe('missing_member');
    expect(missing.message).toBe('id_comm, signup_id, enrolled_at');
  });
});
