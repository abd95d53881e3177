// Rules: spec/credential.md#credential-verification
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainSign, plainSigningKey } from '../../../../bench/contenders/eddsa-poseidon2.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import { credentialJson, type SignedFields } from '../../../../src/credential/credential.ts';
import { compressKey } from '../../../../src/credential/public-key.ts';
import type { IssuerKeyRow } from '../../../../src/storage/refresh/issuer-keys.ts';
import { type CredentialRow, fieldsOf, plainHash, VECTORS } from '../../../credential/support.ts';
import { bytes, word } from '../../../engine/support/vectors.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import { productionEnv, useCliFolder } from '../../support/cli.ts';

const SAMPLE = VECTORS.credentials.at(-1) as Required<CredentialRow>;
const [X, Y] = SAMPLE.public_key;
const KEY_ID = SAMPLE.signing_key.public_key_compressed;
const HASH = SAMPLE.hash;
/** One millisecond before the sample expires, at 1794608000 s. */
const BEFORE = 1_794_607_999_999;
const GIVEN = ['--issuer-key', `${X},${Y}`];
const folder = useCliFolder();

/** Stores the key of the sample as active, then gives it the status. */
async function putKey(status: IssuerKeyRow['status'], issuerSchemaId = '1'): Promise<void> {
  const { config } = await loadConfig({ env: { PROOFGATE_DATA_DIR: folder.path }, cwd: folder.path });
  const store = await openMigratedStore(config.storage);
  const row = (keyId: string, x: Uint8Array, y: Uint8Array): IssuerKeyRow => ({
    keyId,
    issuerSchemaId,
    x,
    y,
    status: 'active',
    origin: 'generated',
    sealedSeed: 'sealed',
    registeredAt: 1000,
    retiredAt: null,
  });
  try {
    await store.issuerKeys.activate(row(KEY_ID, word(X), word(Y)), undefined, 1000);
    if (status === 'retired') {
      const [other] = VECTORS.credentials.flatMap(({ public_key: key }) => (key === undefined ? [] : [key]));
      const [x, y] = (other ?? []).map(word) as [Uint8Array, Uint8Array];
      const id = Buffer.from(compressKey(x, y) as Uint8Array).toString('hex');
      expect(await store.issuerKeys.activate(row(id, x, y), KEY_ID, 2000)).toBe(true);
    }
    if (status === 'revoked') expect(await store.issuerKeys.revoke(issuerSchemaId, KEY_ID, 2000)).toBe(true);
  } finally {
    await store.close();
  }
}

/** The sample with other fields, signed again. */
function signed(changes: Partial<SignedFields>): string {
  const key = plainSigningKey(bytes(SAMPLE.signing_key.seed));
  const fields = { ...fieldsOf(SAMPLE), ...changes };
  return credentialJson(fields, plainSign(key, plainHash(fields)), [X, Y]);
}

describe('credential verify with --issuer-key', () => {
  it.each([
    ['JSON', SAMPLE.json],
    ['base64', SAMPLE.base64],
    ['base64 with a newline', `${SAMPLE.base64}\n`],
  ])('accepts the test vector as %s, from a file and from standard input', async (_, text) => {
    const file = join(folder.path, 'credential');
    await writeFile(file, text);
    const fromFile = await folder.run(['credential', 'verify', file, ...GIVEN], { now: BEFORE });
    expect(fromFile).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        `hash       ${HASH}`,
        'signature  true',
        `key        ${KEY_ID}, given`,
        'expires    2026-11-13T22:13:20.000Z',
        'valid\n',
      ].join('\n'),
    });
    const piped = await folder.run(['credential', 'verify', '-', ...GIVEN], { stdin: text, now: BEFORE });
    expect(piped).toEqual(fromFile);
  });

  it('prints the same as JSON with --json', async () => {
    const argv = ['credential', 'verify', '-', ...GIVEN];
    expect(await folder.json(argv, { stdin: SAMPLE.json, now: BEFORE })).toEqual({
      valid: true,
      hash: HASH,
      signature: true,
      key: { id: KEY_ID, standing: 'given' },
      expires_at: '2026-11-13T22:13:20.000Z',
      expired: false,
    });
  });

  it('needs no store, not even one that can be opened', async () => {
    const env = {
      ...productionEnv(folder.path),
      PROOFGATE_STORAGE_URL: `libsql:${folder.path}/none/at/all.db`,
    };
    const argv = ['credential', 'verify', '-', ...GIVEN];
    expect((await folder.run(argv, { stdin: SAMPLE.json, now: BEFORE, env })).code).toBe(0);
    // without the key, the store is read
    const asking = await folder.run(argv.slice(0, 3), { stdin: SAMPLE.json, now: BEFORE, env });
    expect([asking.stdout, asking.stderr]).toEqual(['', expect.stringContaining('proofgate: store.')]);
  });

  it('exits 1 from the second in which the credential expires', async () => {
    const argv = ['credential', 'verify', '-', ...GIVEN];
    const { code, stdout } = await folder.run(argv, { stdin: SAMPLE.json, now: BEFORE + 1 });
    expect(code).toBe(1);
    expect(stdout).toContain('expires    2026-11-13T22:13:20.000Z, expired\nnot valid: it has expired\n');
  });

  it('accepts an expiry beyond the range of a date', async () => {
    const stdin = signed({ expiresAt: 18_446_744_073_709_551_615n });
    const argv = ['credential', 'verify', '-', ...GIVEN];
    const { code, stdout } = await folder.run(argv, { stdin, now: BEFORE });
    expect([code, stdout.split('\n')[3]]).toEqual([0, 'expires    Unix second 18446744073709551615']);
    expect(await folder.json(argv, { stdin, now: BEFORE })).toMatchObject({
      expires_at: null,
      expired: false,
    });
  });

  it('exits 1 when another key signed, even though the signature is valid', async () => {
    const argv = ['credential', 'verify', '-', '--issuer-key', `${Y},${X}`, '--json'];
    const { code, stdout } = await folder.run(argv, { stdin: SAMPLE.json, now: BEFORE });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ valid: false, signature: true, key: { standing: 'other' } });
  });

  it.each([
    ['a field', SAMPLE.json.replace('"genesis_issued_at":1700000000', '"genesis_issued_at":1700000001')],
    [
      'the id, in digits beyond the precision of a double',
      SAMPLE.json.replace('1311768467463790320', '1311768467463790321'),
    ],
    ['the signature', SAMPLE.json.replace(/"signature":"3a/, '"signature":"3b')],
  ])('exits 1 when %s was changed', async (_, stdin) => {
    expect(stdin).not.toBe(SAMPLE.json);
    const argv = ['credential', 'verify', '-', ...GIVEN];
    const { code, stdout } = await folder.run(argv, { stdin, now: BEFORE });
    expect(code).toBe(1);
    expect(stdout).toContain('signature  false\n');
    expect(stdout).toContain('not valid: the signature is invalid\n');
  });

  it('exits 1 when the key is not a curve point, even with the same y and sign bytes as the issuer key', async () => {
    const x = String(BigInt(X) + 1n);
    const stdin = SAMPLE.json.replace(`"${X}"`, `"${x}"`);
    const argv = ['credential', 'verify', '-', '--issuer-key', `${x},${Y}`];
    const { code, stdout } = await folder.run(argv, { stdin, now: BEFORE });
    expect(code).toBe(1);
    expect(stdout).toContain('signature  false\nkey        not a point of the curve, given\n');
  });

  it('lists everything that is wrong', async () => {
    const stdin = SAMPLE.json.replace('1700000000', '1700000001');
    const argv = ['credential', 'verify', '-', '--issuer-key', '1,2'];
    const { stdout } = await folder.run(argv, { stdin, now: BEFORE + 1 });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'not valid: the signature is invalid; it names another key than the given one; it has expired',
    );
  });

  it.each(['', '1', '1,2,3', 'a,b', '01,2', '1,', '1, 2', `${'9'.repeat(77)},1`])(
    'refuses --issuer-key %j',
    async (key) => {
      const argv = ['credential', 'verify', '-', `--issuer-key=${key}`];
      await folder.fails(argv, 2, 'proofgate: cli.usage: --issuer-key: expected X,Y', { stdin: SAMPLE.json });
    },
  );
});

describe('credential verify with the keys of the store', () => {
  it.each([
    ['active', 0],
    ['retired', 0],
    ['revoked', 1],
  ] as const)('reports that the key is %s and exits %i', async (standing, expected) => {
    await putKey(standing);
    const argv = ['credential', 'verify', '-', '--json'];
    const { code, stdout } = await folder.run(argv, { stdin: SAMPLE.base64, now: BEFORE });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: expected === 0,
      signature: true,
      key: { id: KEY_ID, standing },
    });
  });

  it('exits 1 for an unknown key, and for a key of another issuer schema', async () => {
    const argv = ['credential', 'verify', '-'];
    const empty = await folder.run(argv, { stdin: SAMPLE.json, now: BEFORE });
    expect([empty.code, empty.stdout.split('\n')[2]]).toEqual([1, `key        ${KEY_ID}, unknown`]);
    await putKey('active', '2');
    const other = await folder.run(argv, { stdin: SAMPLE.json, now: BEFORE });
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('not valid: the store has no such key for this issuer_schema_id\n');
    const ofSchema2 = signed({ issuerSchemaId: 2n });
    expect((await folder.run(argv, { stdin: ofSchema2, now: BEFORE })).code).toBe(0);
  });
});

describe('credential verify of a file that is not a credential', () => {
  it.each([
    ['nothing', '', 'expected a JSON object, or base64'],
    ['another object', '{"proof":"0x"}', 'proof: the member is unknown'],
    ['a duplicate member', SAMPLE.json.replace('{', '{"id":1,'), 'id: the member is repeated'],
    ['another version', SAMPLE.json.replace('"V1"', '"V2"'), 'version: expected "V1"'],
    [
      'an id above u64',
      SAMPLE.json.replace('1311768467463790320', '18446744073709551616'),
      'id: expected a whole',
    ],
  ])('refuses %s', async (_, stdin, message) => {
    const { code, stdout, stderr } = await folder.run(['credential', 'verify', '-', ...GIVEN], { stdin });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`proofgate: credential.invalid: ${message}`);
  });

  it('refuses bytes that are not UTF-8, a missing file, and a file that is too large', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, Buffer.concat([Buffer.from(SAMPLE.json), Buffer.from([0xff])]));
    const bad = await folder.run(['credential', 'verify', file, ...GIVEN]);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('credential.invalid')]);
    await writeFile(file, `${SAMPLE.json}${' '.repeat(65_536)}`);
    const large = await folder.run(['credential', 'verify', file, ...GIVEN]);
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('larger than 65536 bytes')]);
    expect((await folder.run(['credential', 'verify', join(folder.path, 'none'), ...GIVEN])).code).toBe(2);
  });
});
