// Rules: spec/refresh.md#operator-commands
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NOW, useCliFolder } from '../../support/cli.ts';
import { orbPem } from '../../support/orb-pem.ts';

const IMPORT = ['orb-keys', 'import', '-'];
const ORB = '0c1d2e3f';
const folder = useCliFolder();

function lineOf(numbers: readonly number[], orbId = ORB): string {
  return `${JSON.stringify({ orb_id: orbId, keys: numbers.map((number) => orbPem(number).pem) })}\n`;
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

interface ListedKey {
  readonly key_hash: string;
  readonly status: string;
}

async function list(orbId = ORB): Promise<ListedKey[]> {
  const { keys } = await folder.json<{ keys: ListedKey[] }>(['orb-keys', 'list', orbId]);
  return keys;
}

describe('proofgate orb-keys', () => {
  it('imports keys, which list shows with the hash of their DER', async () => {
    const done = await folder.json(IMPORT, { stdin: lineOf([1, 2]) + lineOf([3], 'another') });
    expect(done).toEqual({
      added: 2,
      updated: 0,
      unchanged: 0,
      refused: 0,
      dry_run: false,
      interrupted: false,
    });
    expect(await list('another')).toEqual([
      {
        key_hash: orbPem(3).hash,
        status: 'active',
        added_at: new Date(NOW).toISOString(),
        pem: orbPem(3).pem,
      },
    ]);
    expect((await list()).map(({ key_hash }) => key_hash).sort()).toEqual(
      [orbPem(1).hash, orbPem(2).hash].sort(),
    );
    const { stdout } = await folder.run(['orb-keys', 'list', ORB]);
    expect(stdout).toContain(`${orbPem(1).hash}  active  ${new Date(NOW).toISOString()}\n`);
    expect((await folder.run('orb-keys list absent')).stdout).toBe('the orb has no keys\n');
  });

  it('adds to existing keys: a line counts as added with one new key, and as unchanged with none', async () => {
    await folder.json(IMPORT, { stdin: lineOf([1, 2]) });
    const stdin = lineOf([1, 2]) + lineOf([2, 3]) + lineOf([3]);
    expect(await folder.json(IMPORT, { stdin })).toMatchObject({ added: 1, unchanged: 2, refused: 0 });
    expect(await list()).toHaveLength(3);
  });

  it('refuses all keys of a line that would give an orb more than 16 active keys', async () => {
    const stdin = lineOf(upTo(15)) + lineOf([16, 17]) + lineOf([16]) + lineOf([18]);
    const { code, stdout, stderr } = await folder.run(IMPORT, { stdin });
    expect([code, stdout]).toEqual([1, 'added 2, updated 0, unchanged 0, refused 2\n']);
    expect(stderr).toContain('-:2: too_many_keys: keys: an orb has at most 16 active keys\n');
    expect(stderr).toContain('-:4: too_many_keys: ');
    const hashes = (await list()).map(({ key_hash }) => key_hash);
    expect(hashes).toHaveLength(16);
    expect(hashes).not.toContain(orbPem(17).hash);
  });

  it('revokes a key after confirmation, which makes room for another and is not undone by an import', async () => {
    await folder.json(IMPORT, { stdin: lineOf(upTo(16)) });
    const revoke = ['orb-keys', 'revoke', ORB, orbPem(1).hash];
    expect((await folder.run(revoke)).stderr).toContain('proofgate: cli.refused: ');
    expect((await list()).every(({ status }) => status === 'active')).toBe(true);
    await folder.json([...revoke, '--yes']);
    const done = await folder.json(IMPORT, { stdin: lineOf([17]) + lineOf([1]) });
    expect(done).toMatchObject({ added: 1, unchanged: 1 });
    const revoked = (await list()).filter(({ status }) => status === 'revoked');
    expect(revoked).toEqual([expect.objectContaining({ key_hash: orbPem(1).hash })]);
  });

  it('accepts a hash with 0x and upper-case digits, and refuses an unknown and a malformed one', async () => {
    await folder.json(IMPORT, { stdin: lineOf([1]) });
    const revoke = async (hash: string): Promise<string> =>
      (await folder.run(`orb-keys revoke ${ORB} ${hash} --yes`)).stderr;
    expect(await revoke(orbPem(2).hash)).toContain('proofgate: orb_key.unknown: No such orb key');
    expect(await revoke('abc')).toContain('invalid key hash: expected 64 hex digits');
    expect(await revoke(`0x${orbPem(1).hash.toUpperCase()}`)).toBe('');
    expect((await list())[0]?.status).toBe('revoked');
  });

  it('adds none of the keys of a refused line', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const keys = [orbPem(1).pem, publicKey.export({ type: 'spki', format: 'pem' })];
    const bad = `${JSON.stringify({ orb_id: ORB, keys })}\n`;
    const { code, stderr } = await folder.run(IMPORT, { stdin: bad + lineOf([2]) });
    expect(code).toBe(1);
    expect(stderr).toContain('-:1: wrong_curve: keys[1]: expected a public key on the named curve secp256k1');
    expect((await list()).map(({ key_hash }) => key_hash)).toEqual([orbPem(2).hash]);
  });

  it('writes nothing in a dry run', async () => {
    const done = await folder.json([...IMPORT, '--dry-run'], { stdin: lineOf([1]) });
    expect(done).toMatchObject({ added: 1, dry_run: true });
    expect(await list()).toEqual([]);
  });
});
