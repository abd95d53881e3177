import { beforeAll, expect, it } from 'vitest';
import { describeBackend } from '../../engine/support/describe-engine.ts';
import { opened } from '../../support/opened.ts';
import { makePackage, type PackageOptions, VALUE_NAMES } from '../../support/refresh/custody-package.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { isSignedPlainly, plainClaim, readCredential } from '../../support/refresh/reader.ts';
import { startRefreshService } from '../../support/refresh/service.ts';

const MAX_MANIFEST = 65_536;
/** Pads a manifest to a length in bytes, with blanks before its last brace. */
const paddedTo =
  (length: number) =>
  (text: string): string =>
    `${text.slice(0, -1).padEnd(length - 1)}}`;

const PACKAGES: readonly (readonly [name: string, options: PackageOptions])[] = [
  ['in the form that orbs write', {}],
  ['whose signature has a high s', { s: 'high' }],
  ['whose manifest has its keys in another order', { editMembers: (members) => [...members].reverse() }],
  ['whose manifest has blanks and line ends', { editManifest: (text) => text.replaceAll(',', ' ,\r\n\t') }],
  ['whose manifest has escapes', { editManifest: (text) => text.replace('signup_id', 'signup\\u005fid') }],
  ['whose manifest is a byte below 64 KiB', { editManifest: paddedTo(MAX_MANIFEST - 1) }],
  ['whose manifest has 64 KiB', { editManifest: paddedTo(MAX_MANIFEST) }],
  ['with share texts of 200 KB', { shareBytes: 200_000 }],
  [
    'with other salts (one character, 128 bytes, no hex, multi-byte characters)',
    {
      salts: {
        signup_id: '0',
        orb_id: 'f'.repeat(128),
        operator_id: 'no hex at all',
        signup_reason: 'ABCDEF0123456789ABCDEF0123456789',
        timestamp: 'Sälz ✓',
        software_version: '\r\n\0 ',
      },
    },
  ],
  ['whose version is a number', { editManifest: (text) => text.replace('"version":"2.3"', '"version":2.3') }],
];

const MADE = PACKAGES.map(([name, options]) => {
  const made = makePackage({ seed: name, ...options });
  return { name, made, claim: plainClaim(made.manifest) };
});

describeBackend('custody packages', (backend) => {
  const service = opened(() => startRefreshService({ settings: { 'engine.backend': backend } }), 'end');
  beforeAll(async () => {
    await service.addOrbKey('0c1d2e3f', makePackage().orbKey.pem);
  });

  it.each(MADE)(
    '$name yield the hash of exactly their manifest as claims[0]',
    async ({ name, made, claim }) => {
      const holder = testHolder(name);
      await service.enrol([holder], { signupId: made.signupId, orbId: made.orbId });
      const { status, body } = await service.client.refresh(holder, { package: made.fields });
      expect([status, body.message]).toEqual([200, 'Credential refreshed successfully']);
      const credential = readCredential(body.credential);
      expect(credential.claims[0]).toBe(claim);
      expect(isSignedPlainly(credential)).toBe(true);
    },
  );

  it('whose manifest is a byte above 64 KiB are refused', async () => {
    const made = makePackage({ seed: 'above', editManifest: paddedTo(MAX_MANIFEST + 1) });
    const holder = testHolder('above');
    await service.enrol([holder], { signupId: made.signupId, orbId: made.orbId });
    const { status, body } = await service.client.refresh(holder, { package: made.fields });
    expect([status, body]).toEqual([
      400,
      { success: false, error: 'PCP_VALIDATION_FAILED', message: expect.stringContaining('hashes.json') },
    ]);
  });

  it.each(VALUE_NAMES)('with another character in the salt of %s are refused', async (value) => {
    const made = makePackage({ seed: `salt of ${value}` });
    const holder = testHolder(`salt of ${value}`);
    await service.enrol([holder], { signupId: made.signupId, orbId: made.orbId });
    const name = `${value}_salt`;
    const salt = String(made.fields[name]);
    // the salt's bytes instead of its text, upper case, a trailing blank: each is a different pre-image
    for (const other of [Buffer.from(salt, 'hex'), salt.toUpperCase(), `${salt} `]) {
      const { status, body } = await service.client.refresh(holder, {
        package: { ...made.fields, [name]: other },
      });
      expect([status, body.error]).toEqual([400, 'PCP_VALIDATION_FAILED']);
      expect(body.message).toContain(value);
    }
    expect(await service.store.issuance.bindingsOf(holder.idComm)).toEqual([]);
  });
});
