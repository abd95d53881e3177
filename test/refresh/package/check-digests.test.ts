// Rules: spec/refresh.md#digests
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type ManifestMember,
  makePackage,
  VALUE_NAMES,
  type ValueName,
} from '../../support/refresh/custody-package.ts';
import { judge } from './support/check.ts';

const SHARES = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'];
const PARTS = [...VALUE_NAMES, ...SHARES];
const memberOf = (part: string): string => JSON.stringify(part.startsWith('iris') ? `${part}.json` : part);

interface Vectors {
  readonly package: {
    readonly salted_value: { readonly value: string; readonly salt: string; readonly sha256: string };
  };
}

/** Makes a package whose manifest has a changed digest of one part. */
function withDigest(part: string, change: (digest: string) => string): ReturnType<typeof makePackage> {
  const edit = ([name, value]: ManifestMember): ManifestMember => [
    name,
    name === memberOf(part) ? JSON.stringify(change(JSON.parse(value) as string)) : value,
  ];
  return makePackage({ editMembers: (members) => members.map(edit) });
}

describe('digests of a package', () => {
  it('accepts the salted value of the vectors', async () => {
    const { package: sample } = JSON.parse(
      readFileSync('test/vectors/credential-vectors.json', 'utf8'),
    ) as Vectors;
    const { value, salt, sha256 } = sample.salted_value;
    const made = makePackage({ values: { signup_id: value }, salts: { signup_id: salt } });
    expect(Buffer.from(made.manifest).toString()).toContain(`"signup_id":"${sha256}"`);
    expect((await judge(made)).text).toBe('passed');
  });

  it.each(PARTS)('refuses a manifest without the member of %s', async (part) => {
    const made = makePackage({ editMembers: (all) => all.filter(([name]) => name !== memberOf(part)) });
    const verdict = await judge(made);
    expect(verdict.text).toBe(`digest ${part}`);
    expect(verdict.refused?.message).toBe(`${part}: the manifest has no digest of it`);
  });

  it.each(PARTS)('refuses another digest of %s', async (part) => {
    const last = withDigest(part, (digest) => digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0'));
    expect((await judge(last)).text).toBe(`digest ${part}`);
    const first = withDigest(part, (digest) => (digest.startsWith('0') ? '1' : '0') + digest.slice(1));
    expect((await judge(first)).text).toBe(`digest ${part}`);
    expect((await judge(first)).refused?.message).toBe(`${part}: its digest is another`);
  });

  it.each([
    ['upper case', (digest: string) => digest.toUpperCase()],
    ['with 0x in front', (digest: string) => `0x${digest}`],
    ['one digit too short', (digest: string) => digest.slice(1)],
    ['one digit too long', (digest: string) => `${digest}0`],
    ['with a line feed at its end', (digest: string) => `${digest}\n`],
    ['with a space in front', (digest: string) => ` ${digest}`],
    ['empty', () => ''],
    ['base64', (digest: string) => Buffer.from(digest, 'hex').toString('base64')],
    ['64 other characters', () => 'g'.repeat(64)],
    ['wide digits', (digest: string) => digest.replace(/\d/, '\uff11')],
  ])('refuses a digest in another form: %s', async (_, change) => {
    const verdict = await judge(withDigest('orb_country', change));
    expect(verdict.refused?.message).toBe('orb_country: its digest is not 64 lower-case hex digits');
  });

  it.each(VALUE_NAMES)('refuses %s with its salt in front', async (name) => {
    const made = makePackage();
    const swapped = createHash('sha256')
      .update(made.fields[`${name}_salt`] ?? '')
      .update(made.fields[name] ?? '');
    const digest = swapped.digest('hex');
    expect((await judge(withDigest(name, () => digest))).text).toBe(`digest ${name}`);
  });

  it.each<[string, string | Uint8Array]>([
    ['of other characters', 'Sälz ✓ 😀'],
    ['of one character', 'x'],
    ['of 128 bytes', 's'.repeat(128)],
    ['with white space around', ' 05 \r\n'],
    ['with NUL', 'a\0b'],
    ['after a byte order mark', '\uFEFF05'],
    ['in upper-case hex', '0A'.repeat(16)],
  ])('accepts a salt %s, as text', async (_, salt) => {
    const made = makePackage({ salts: { signup_id: salt } });
    expect((await judge(made)).text).toBe('passed');
  });

  it('hashes the text of a salt and not the bytes that it encodes', async () => {
    const made = makePackage();
    const salt = String(made.fields.signup_id_salt);
    const decoded = createHash('sha256')
      .update('signup_package')
      .update(Buffer.from(salt, 'hex'))
      .digest('hex');
    expect((await judge(withDigest('signup_id', () => decoded))).text).toBe('digest signup_id');
    expect((await judge(made, { signup_id_salt: salt.toUpperCase() })).text).toBe('digest signup_id');
  });

  it.each<[ValueName, string]>([
    ['signup_id', 'signup_é'],
    ['orb_id', 'ORB 😀'],
    ['operator_id', ' spaces '],
    ['timestamp', 'not a number'],
    ['software_version', '\0'],
    ['orb_country', 'a\r\nb'],
  ])('accepts an opaque %s', async (name, value) => {
    const { text, passed } = await judge(makePackage({ values: { [name]: value } }));
    expect(text).toBe('passed');
    expect(passed?.operatorId).toBe(name === 'operator_id' ? value : 'operator-7f');
  });

  it.each(PARTS)('refuses %s with an extra byte or in another Unicode form', async (part) => {
    const made = makePackage();
    for (const value of [`${made.fields[part]} `, ` ${made.fields[part]}`, `${made.fields[part]}\u0301`]) {
      expect((await judge(made, { [part]: value })).text).toBe(`digest ${part}`);
    }
  });

  it('names the first of several wrong parts', async () => {
    const made = makePackage();
    const wrong = { iris_code_shares_2: 'x', timestamp: 'x', operator_id_salt: 'x' };
    expect((await judge(made, wrong)).text).toBe('digest operator_id');
  });
});
