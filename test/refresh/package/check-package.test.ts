// Rules: spec/refresh.md#package-checks and spec/refresh.md#digests
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { renderRefreshError } from '../../../src/http/errors/refresh.ts';
import { PACKAGE_VALUES, SHARE_PARTS } from '../../../src/refresh/request/parse-form.ts';
import {
  type CustodyPackage,
  type ManifestMember,
  makePackage,
  orbKeyPair,
  VALUE_NAMES,
  type ValueName,
} from '../../support/refresh/custody-package.ts';
import { REFRESH_VECTORS } from '../../support/refresh/vectors.ts';
import {
  FAULT_PAIRS,
  FAULTS,
  type Fault,
  faultyPackage,
  judge,
  KEYLESS_ORB,
  keyRow,
} from './support/check.ts';

const SAMPLE = REFRESH_VECTORS.package;

/** Builds the complete package of the vectors with one of its signatures. */
function samplePackage(der: string): CustodyPackage {
  const manifest = Buffer.from(SAMPLE.hashes_json);
  const signature = Buffer.from(der, 'hex');
  return {
    fields: { ...SAMPLE.form_fields, 'hashes.json': manifest, 'hashes.sign': signature },
    manifest,
    signature,
    orbId: '0c1d2e3f',
    signupId: 'signup_123',
    operatorId: 'operator-7f',
    orbKey: { ...orbKeyPair('test orb key'), pem: SAMPLE.orb_public_key_pem },
  };
}

/** Checks a package that has all these faults. */
function judgeFaults(...faults: readonly Fault[]): ReturnType<typeof judge> {
  const { made, fields, enrolment } = faultyPackage(faults);
  const keys = made.orbId === KEYLESS_ORB ? [] : [keyRow(made.orbKey)];
  return judge({ ...made, fields }, {}, { enrolment, keys });
}

describe('the custody package of a refresh', () => {
  it.each(SAMPLE.hashes_sign)('accepts the package of the vectors with $form', async ({ der }) => {
    const { passed } = await judge(samplePackage(der));
    expect(Buffer.from(passed?.manifest ?? []).toString()).toBe(SAMPLE.hashes_json);
    expect(Buffer.from(passed?.manifestSha256 ?? []).toString('hex')).toBe(SAMPLE.hashes_json_sha256);
    expect(passed?.operatorId).toBe('operator-7f');
  });

  it('accepts share texts of 200 KB', async () => {
    const made = makePackage({ shareBytes: 200_000 });
    expect(made.fields.iris_code_shares_2).toHaveLength(200_000);
    expect((await judge(made)).text).toBe('passed');
    const cut = String(made.fields.iris_code_shares_2).slice(0, -1);
    expect((await judge(made, { iris_code_shares_2: cut })).text).toBe('digest iris_code_shares_2');
  });

  it.each(FAULTS)('refuses rule $rule: $text', async (fault) => {
    expect((await judgeFaults(fault)).text).toBe(fault.text);
  });

  it.each(FAULT_PAIRS)('reports the earlier rule if $rules fail', async ({ first, second }) => {
    expect((await judgeFaults(first, second)).text).toBe(first.text);
    expect((await judgeFaults(second)).text).toBe(second.text);
  });

  it('answers 400 PCP_VALIDATION_FAILED with a message that repeats nothing of the package', async () => {
    for (const fault of FAULTS) {
      const { refused } = await judgeFaults(fault);
      const answer = renderRefreshError(refused, { method: 'POST' } as Parameters<
        typeof renderRefreshError
      >[1]);
      const body = JSON.parse(String(answer.body)) as Record<string, unknown>;
      expect(answer.status).toBe(400);
      expect(body).toEqual({ success: false, error: 'PCP_VALIDATION_FAILED', message: refused?.message });
      expect(refused?.details.check).toBe(13);
      for (const value of Object.values(makePackage().fields)) {
        expect(refused?.message).not.toContain(Buffer.from(value).toString('latin1'));
      }
    }
  });

  it.each(FAULTS)('begins the message of rule $rule with $named', async (fault) => {
    expect((await judgeFaults(fault)).refused?.message.split(': ')[0]).toBe(fault.named);
  });

  it('passes on an error of the store', async () => {
    const made = makePackage();
    const failing = judge(made, {}, { fault: new ServiceError('store.unreachable') });
    await expect(failing).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});

describe('parts of the package', () => {
  const made = makePackage();

  it.each(Object.keys(made.fields))('refuses a package without %s, or with it empty', async (part) => {
    expect((await judge(made, { [part]: undefined })).text).toBe(`parts ${part}`);
    expect((await judge(made, { [part]: '' })).text).toBe(`parts ${part}`);
  });

  it.each(Object.keys(made.fields).filter((part) => !part.includes('.')))(
    'refuses %s when it is not UTF-8',
    async (part) => {
      const halfSurrogate = Uint8Array.of(0x61, 0xed, 0xa0, 0x80);
      const { text, refused } = await judge(made, { [part]: halfSurrogate });
      expect(text).toBe(`parts ${part}`);
      expect(refused?.message).toBe(`${part}: not UTF-8`);
    },
  );

  const LIMITS: Readonly<Record<string, number>> = {
    ...Object.fromEntries(PACKAGE_VALUES.map((name) => [name, 256])),
    ...Object.fromEntries(PACKAGE_VALUES.map((name) => [`${name}_salt`, 128])),
    ...Object.fromEntries(SHARE_PARTS.map((name) => [name, 262_144])),
    'hashes.json': 65_536,
    'hashes.sign': 80,
  };

  it.each(Object.keys(made.fields))('refuses %s when it is longer than its limit', async (part) => {
    const limit = LIMITS[part] ?? 0;
    const { text, refused } = await judge(made, { [part]: Buffer.alloc(limit + 1, 'a') });
    expect(text).toBe(`parts ${part}`);
    const how = part === 'hashes.sign' ? ', the signature itself and not its text' : '';
    expect(refused?.message).toBe(`${part}: expected at most ${limit} bytes${how}, got ${limit + 1}`);
    expect(refused?.details.check).toBe(13);
    // a value within the limit is left to the rules that read it
    const filled = await judge(made, { [part]: Buffer.alloc(limit, 'a') });
    expect(filled.text).not.toBe('passed');
    expect(filled.text).not.toContain('parts');
  });

  it('names a missing part before one that is too long, and that before a broken one', async () => {
    const long = { 'hashes.sign': Buffer.alloc(81) };
    expect((await judge(made, { ...long, iris_code_shares_2: '' })).text).toBe('parts iris_code_shares_2');
    expect((await judge(made, { ...long, signup_id: Uint8Array.of(0xff) })).text).toBe('parts hashes.sign');
  });

  it('names a missing part before a broken one', async () => {
    const verdict = await judge(made, { signup_id: Uint8Array.of(0xff), 'hashes.sign': undefined });
    expect(verdict.text).toBe('parts hashes.sign');
  });
});

describe('version, reason and enrolment of the package', () => {
  const versionOf = (text: string): CustodyPackage =>
    makePackage({ editMembers: (all) => all.map(([k, v]) => [k, k === '"version"' ? text : v] as const) });

  it.each([
    ['"2.3"', ['2.3'], true],
    ['2.3', ['2.3'], true],
    ['2.30', ['2.3'], false],
    ['2.30', ['2.30'], true],
    ['2.1', ['2.10'], false],
    ['23e-1', ['2.3'], false],
    ['3.0', ['3.0'], true],
    ['3', ['3.0'], false],
    ['"2.4"', ['2.3'], false],
    ['"2.4"', ['2.3', '2.4'], true],
    ['"2.3 "', ['2.3'], false],
    ['"2\\u002e3"', ['2.3'], true],
    ['"2.3"', [], false],
    ['""', ['2.3'], false],
  ] as const)(
    'with %s in the manifest and %j in the settings: accepted %s',
    async (text, versions, isTaken) => {
      const verdict = await judge(versionOf(text), {}, { versions });
      expect(verdict.text).toBe(isTaken ? 'passed' : 'version hashes.json');
    },
  );

  it('refuses a manifest without a version', async () => {
    const bare = makePackage({ editMembers: (all) => all.filter(([name]) => name !== '"version"') });
    expect((await judge(bare)).text).toBe('version hashes.json');
  });

  it.each(['FAILURE', 'FRAUD', 'normal', 'NORMAL ', '\uFEFFNORMAL'])(
    'refuses the reason %j',
    async (reason) => {
      const other = makePackage({ values: { signup_reason: reason } });
      expect((await judge(other)).text).toBe('signup_reason signup_reason');
    },
  );

  it('accepts the reasons of the settings', async () => {
    const other = makePackage({ values: { signup_reason: 'FAILURE' } });
    expect((await judge(other, {}, { reasons: ['NORMAL', 'FAILURE'] })).text).toBe('passed');
  });

  it.each([
    [{ signupId: 'signup_packagf' }, 'enrolment signup_id'],
    [{ signupId: 'SIGNUP_package' }, 'enrolment signup_id'],
    [{ orbId: '0c1d2e30' }, 'enrolment orb_id'],
    [{ signupId: 'x', orbId: 'x' }, 'enrolment signup_id'],
  ])('refuses the package of another enrolment, %j', async (enrolment, text) => {
    expect((await judge(makePackage(), {}, { enrolment })).text).toBe(text);
  });

  it('does not ignore a byte order mark', async () => {
    const marked = makePackage({ values: { signup_id: '\uFEFFsignup_package' } });
    expect((await judge(marked, {}, { enrolment: { signupId: 'signup_package' } })).text).toBe(
      'enrolment signup_id',
    );
    expect((await judge(marked, {}, { enrolment: { signupId: '\uFEFFsignup_package' } })).text).toBe(
      'passed',
    );
  });

  it('returns the SHA-256 of the manifest', async () => {
    const made = makePackage();
    const { passed } = await judge(made);
    expect(Buffer.from(passed?.manifestSha256 ?? [])).toEqual(
      createHash('sha256').update(made.manifest).digest(),
    );
  });
});

const SHARES = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'];
const PARTS = [...VALUE_NAMES, ...SHARES];
const memberOf = (part: string): string => JSON.stringify(part.startsWith('iris') ? `${part}.json` : part);

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
    const { value, salt, sha256 } = SAMPLE.salted_value;
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

const MADE = makePackage({ seed: 'bit flips' });
const FIELDS = Object.keys(MADE.fields);
const FLIPS = 150;

/** Draws a number below `limit` from a seed, so that a failing flip can be reproduced. */
function draw(seed: string, limit: number): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) % limit;
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

describe('a package with one bit flipped', () => {
  it.each(FIELDS)(`never passes: ${FLIPS} bits of %s`, async (part) => {
    const bytes = Buffer.from(MADE.fields[part] ?? '');
    for (let index = 0; index < FLIPS; index++) {
      const bit = draw(`${part} ${index}`, bytes.length * 8);
      const { text } = await judge(MADE, { [part]: flipped(bytes, bit) });
      expect(text, `bit ${bit} of ${part}`).not.toBe('passed');
    }
  });

  it('never passes: every bit of the signature', async () => {
    for (let bit = 0; bit < MADE.signature.length * 8; bit++) {
      const { text } = await judge(MADE, { 'hashes.sign': flipped(MADE.signature, bit) });
      expect(text, `bit ${bit}`).toBe('signature hashes.sign');
    }
  });

  it('passes without the flip', async () => {
    expect((await judge(MADE)).text).toBe('passed');
  });
});
