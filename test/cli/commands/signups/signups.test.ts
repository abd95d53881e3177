// Rules: spec/refresh.md#operator-commands and spec/refresh.md#imports
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';
import { enrolmentLine, enrolmentLines } from '../../support/enrolment-lines.ts';

const NOTHING = { added: 0, updated: 0, unchanged: 0, refused: 0, dry_run: false, interrupted: false };
const IMPORT = ['signups', 'import', '-'];
const folder = useCliFolder();

function word(index: number): string {
  return `0x${index.toString(16).padStart(64, '0')}`;
}

async function show(index: number): Promise<Record<string, unknown>> {
  return await folder.json(['signups', 'show', `0x${index.toString(16)}`]);
}

describe('proofgate signups import', () => {
  it('adds records, from a file and from standard input, and counts equal lines as unchanged', async () => {
    const file = join(folder.path, 'signups.jsonl');
    await writeFile(file, enrolmentLines(1, 3));
    expect(await folder.run(`signups import ${file}`)).toEqual({
      code: 0,
      stdout: 'added 3, updated 0, unchanged 0, refused 0\n',
      stderr: '',
    });
    const again = await folder.json(IMPORT, { stdin: enrolmentLines(2, 5) });
    expect(again).toEqual({ ...NOTHING, added: 2, unchanged: 2 });
    expect(await show(5)).toEqual({
      id_comm: word(5),
      signup_id: 'signup_5',
      orb_id: '0c1d2e3f',
      enrolled_at: '2023-11-14T22:13:20.000Z',
      status: 'active',
      updated_at: new Date(NOW).toISOString(),
      bindings: [],
    });
  });

  it('updates a changed status', async () => {
    await folder.json(IMPORT, { stdin: enrolmentLine(1) });
    const revoked = enrolmentLine(1, { status: 'revoked' });
    expect(await folder.json(IMPORT, { stdin: revoked })).toEqual({ ...NOTHING, updated: 1 });
    expect((await show(1)).status).toBe('revoked');
  });

  it('refuses another signup or orb for a known idComm, and accepts it with --replace', async () => {
    await folder.json(IMPORT, { stdin: enrolmentLine(1) });
    const moved = `${enrolmentLine(1, { orb_id: 'another' })}\n`;
    const { code, stdout, stderr } = await folder.run(IMPORT, { stdin: moved });
    expect([code, stdout]).toEqual([1, 'added 0, updated 0, unchanged 0, refused 1\n']);
    expect(stderr).toContain('-:1: conflict: id_comm: its record has another signup_id or orb_id');
    expect(stderr).toContain('proofgate: import.refused_lines: 1 of 1 lines were refused');
    expect((await show(1)).orb_id).toBe('0c1d2e3f');
    expect(await folder.json([...IMPORT, '--replace'], { stdin: moved })).toEqual({ ...NOTHING, updated: 1 });
    expect((await show(1)).orb_id).toBe('another');
  });

  it('refuses a signup of another active record, in the same file or an earlier one', async () => {
    const twin = enrolmentLine(2, { signup_id: 'signup_1' });
    const { code, stderr } = await folder.run(IMPORT, { stdin: `${enrolmentLine(1)}\n${twin}\n` });
    expect(code).toBe(1);
    expect(stderr).toContain('-:2: signup_taken: signup_id: another active record has it');
    expect((await folder.run(IMPORT, { stdin: twin })).stderr).toContain('-:1: signup_taken: ');
    const retired = enrolmentLine(1, { status: 'revoked' });
    expect(await folder.json(IMPORT, { stdin: `${retired}\n${twin}` })).toMatchObject({
      added: 1,
      updated: 1,
    });
  });

  it('names refused lines by file and number and imports the others', async () => {
    const file = join(folder.path, 'mixed.jsonl');
    const lines = [enrolmentLine(1), 'x', enrolmentLine(2, { enrolled_at: 'soon' }), enrolmentLine(3)];
    await writeFile(file, lines.join('\n'));
    const { code, stdout, stderr } = await folder.run(['signups', 'import', file]);
    expect([code, stdout]).toEqual([1, 'added 2, updated 0, unchanged 0, refused 2\n']);
    expect(stderr).toContain(`${file}:2: not_json: expected a value at offset 0\n`);
    expect(stderr).toContain(`${file}:3: invalid_time: enrolled_at: expected Unix seconds`);
    expect((await show(3)).status).toBe('active');
  });

  it('shows the first 100 refused lines and the number of the rest, and writes all to --errors', async () => {
    const errors = join(folder.path, 'errors.jsonl');
    await writeFile(errors, 'what an earlier import left\n');
    const stdin = `${enrolmentLines(1, 1200)}${'{}\n'.repeat(150)}`;
    const { code, stderr } = await folder.run([...IMPORT, '--errors', errors], { stdin });
    expect(code).toBe(1);
    expect(stderr.match(/^-:\d+: missing_member: /gm)).toHaveLength(100);
    expect(stderr).toContain(`… and 50 more refused lines in ${errors}\n`);
    const written = (await readFile(errors, 'utf8')).trimEnd().split('\n');
    expect(written).toHaveLength(150);
    expect(JSON.parse(written.at(-1) ?? '')).toEqual({
      file: '-',
      line: 1350,
      code: 'missing_member',
      message: 'id_comm, signup_id, orb_id, enrolled_at',
    });
    expect((await folder.run(IMPORT, { stdin })).stderr).toContain('--errors FILE keeps all of them');
  });

  it('refuses an error file that is the imported file, or that cannot be written', async () => {
    const file = join(folder.path, 'signups.jsonl');
    await writeFile(file, enrolmentLines(1, 2));
    const same = await folder.run(['signups', 'import', file, '--errors', file]);
    expect([same.code, same.stdout]).toEqual([2, '']);
    expect(same.stderr).toContain('it is the file to import');
    expect(await readFile(file, 'utf8')).toBe(enrolmentLines(1, 2));
    const folderAsFile = await folder.run(['signups', 'import', file, '--errors', folder.path]);
    expect(folderAsFile.code).toBe(2);
    expect(folderAsFile.stderr).toContain('--errors: ');
  });

  it.skipIf(process.platform !== 'linux')('reports that the disk of the error file is full', async () => {
    const { code, stderr } = await folder.run([...IMPORT, '--errors', '/dev/full'], { stdin: '{}\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('the import ended after line 1; imported lines stay, and it can be run again\n');
    expect(stderr).toContain('--errors: /dev/full cannot be written: ENOSPC');
  });

  it('writes nothing in a dry run', async () => {
    const stdin = `${enrolmentLines(1, 2)}{}\n`;
    const { code, stdout } = await folder.run([...IMPORT, '--dry-run'], { stdin });
    expect(code).toBe(1);
    expect(stdout).toBe('dry run, nothing was written: added 2, updated 0, unchanged 0, refused 1\n');
    expect((await folder.run('signups show 0x1')).stderr).toContain('proofgate: signup.unknown: ');
  });

  it('accepts an empty file', async () => {
    expect(await folder.json(IMPORT, { stdin: '' })).toEqual(NOTHING);
    expect(await folder.json(IMPORT, { stdin: '\n' })).toEqual(NOTHING);
  });

  it('never prints an id of a person', async () => {
    const bad = [
      enrolmentLine(0xabcdef, { status: 'lost' }),
      enrolmentLine(0xabcdef, { signup_id: 'person\n' }),
      enrolmentLine(0xabcdef, { enrolled_at: 'person' }),
      `${enrolmentLine(0xabcdef)}person`,
    ];
    const { stderr } = await folder.run(IMPORT, { stdin: bad.join('\n') });
    expect(stderr).toContain('-:4: not_json: ');
    expect(stderr).not.toMatch(/abcdef|person|11259375/);
  });
});

describe('proofgate signups show and revoke', () => {
  it('shows bindings with the number of credentials, and all digits of a u64', async () => {
    await folder.json(IMPORT, { stdin: enrolmentLine(7) });
    const store = await openMigratedStore({
      url: `libsql:${join(folder.path, 'proofgate.db')}`,
      groupMaxRows: 10,
      groupMaxDelayMs: 0,
    });
    const idComm = Buffer.from(word(7).slice(2), 'hex');
    const issue = async (id: number): Promise<unknown> =>
      await store.issuance.issue(
        {
          issuerSchemaId: '18446744073709551615',
          credentialId: Buffer.alloc(8, id),
          idComm,
          sub: Buffer.from(word(0x1a2b3c).slice(2), 'hex'),
          genesisIssuedAt: 1_700_000_000_000,
          issuedAt: 1_700_000_000_000 + id,
          expiresAt: 1_800_000_000_000,
          claim0: Buffer.alloc(32, 1),
          claimSource: 'refresh',
          manifestSha256: null,
          operatorId: null,
          credentialHash: Buffer.alloc(32, 2),
          signature: Buffer.alloc(64, 3),
          keyId: '00'.repeat(32),
          encryptedUserId: null,
        },
        { credentials: 0, windowMs: 1 },
      );
    try {
      expect([await issue(1), await issue(2)]).toEqual([{ outcome: 'issued' }, { outcome: 'issued' }]);
    } finally {
      await store.close();
    }
    const json = await folder.run('signups show 0x7 --json');
    expect(json.stdout).toContain('"issuer_schema_id":18446744073709551615,');
    expect(await show(7)).toMatchObject({
      bindings: [
        {
          sub: word(0x1a2b3c),
          genesis_issued_at: '2023-11-14T22:13:20.000Z',
          credentials: 2,
          last_issued_at: '2023-11-14T22:13:20.002Z',
        },
      ],
    });
    const { stdout } = await folder.run(['signups', 'show', word(7)]);
    expect(stdout).toContain('issuer schema 18446744073709551615: 2 credentials\n');
    expect(stdout).toContain(word(0x1a2b3c));
  });

  it('revokes after confirmation', async () => {
    await folder.json(IMPORT, { stdin: enrolmentLine(7) });
    const refused = await folder.run('signups revoke 0x7');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('proofgate: cli.refused: ');
    expect((await show(7)).status).toBe('active');
    const asked = await folder.run('signups revoke 0x7', { isInteractive: true, stdin: 'y\n' });
    expect(asked.stdout).toBe('revoked the enrolment of signup "signup_7"\n');
    expect((await show(7)).status).toBe('revoked');
    expect(await folder.json('signups revoke 0x07 --yes')).toMatchObject({ status: 'revoked' });
  });

  it.each(['show', 'revoke'])('%s refuses an unknown and a malformed idComm', async (command) => {
    const unknown = await folder.run(['signups', command, '0x7']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('proofgate: signup.unknown: No enrolment record for this idComm');
    const wrong = await folder.run(['signups', command, '7']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('invalid idComm: expected 0x and 1 to 64 hex digits');
  });
});
