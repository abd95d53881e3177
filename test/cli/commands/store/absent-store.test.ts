// Rules: spec/operations.md#command-line
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LibsqlConnection } from '../../../../src/storage/drivers/libsql-connection.ts';
import {
  makeCliFolder,
  makeEmptyCliFolder,
  productionEnv,
  unapplyNewestMigration,
  useCliFolder,
} from '../../support/cli.ts';
import { runProcess } from '../../support/process.ts';
import { skipBackendTrials } from '../../support/skip-backend-trials.ts';

skipBackendTrials();

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const folder = useCliFolder({ make: makeEmptyCliFolder });

describe('a command in a folder without a store', () => {
  it.each([
    [['apps', 'list']],
    [['apps', 'add', '--redirect-uri', 'http://localhost/callback']],
    [['apps', 'remove', APP, '--yes']],
    [['keys', 'list']],
    [['keys', 'rotate']],
    [['keys', 'rotate', '--use', 'credential']],
    [['vkey', 'list']],
    [['roots', 'list']],
    [['roots', 'export']],
    [['signups', 'show', '0x1']],
    [['refresh', 'disable']],
    [['tokens', 'revoke', '--jti', 'd2f7a1c0-5b0e-4d2a-9a55-0d7a6f3b1c11']],
    [['dev', 'person', 'list']],
    [['sweep']],
    // For `doctor`: test/cli/doctor/doctor.test.ts, which tries the backends once.
  ])('%j creates none and exits with 78', async (argv) => {
    const { code, stdout, stderr } = await folder.run(argv, { stdin: 'x' });
    expect(code).toBe(78);
    expect(`${stdout}${stderr}`).toContain(`there is no store at ${folder.path}/proofgate.db`);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('says where it looked, which setting decides, and how to create a store', async () => {
    const { stderr } = await folder.run('apps list');
    expect(stderr).toBe(
      `proofgate: store.absent: there is no store at ${folder.path}/proofgate.db: storage.url is not set, so dataDir (PROOFGATE_DATA_DIR) decides, ${JSON.stringify(folder.path)}, from the environment, in the working directory ${process.cwd()}\n` +
        '  cure: Run the command in the working directory of the service, or give it the same dataDir or storage.url; `proofgate migrate up` creates a new store.\n',
    );
    const named = await folder.run('apps list', { env: productionEnv(folder.path) });
    expect(named.code).toBe(78);
    expect(named.stderr).toContain(
      `there is no store at ${folder.path}/proofgate.db: storage.url (PROOFGATE_STORAGE_URL) decides, from the environment`,
    );
  });

  it('is reported by the real program in another working directory', async () => {
    const { code, stderr } = await runProcess(['apps', 'list'], {
      PROOFGATE_DATA_DIR: join(folder.path, 'absent'),
    });
    expect(code).toBe(78);
    expect(stderr).toContain(`there is no store at ${folder.path}/absent/proofgate.db: `);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('accepts neither an empty file nor the database of another program as a store', async () => {
    const file = join(folder.path, 'proofgate.db');
    await writeFile(file, '', { mode: 0o600 });
    expect((await folder.run('apps list')).stderr).toContain(`there is no store at ${file}: `);
    expect(await readdir(folder.path)).toEqual(['proofgate.db']);
    const other = join(folder.path, 'other');
    await mkdir(other);
    const connection = new LibsqlConnection(join(other, 'proofgate.db'), 0);
    connection.execute('create table theirs (x text)');
    connection.close();
    const { code, stderr } = await folder.run('apps list', { env: { PROOFGATE_DATA_DIR: other } });
    expect(code).toBe(78);
    expect(stderr).toContain('proofgate: store.absent: the database has no tables: ');
  });

  it('needs none to verify a proof with a built-in key', async () => {
    const { code, stdout } = await folder.run('proof verify - --key semaphore-depth30', {
      stdin: '{"inputs":[],"proof":"0x"}\n',
    });
    expect(code).toBe(1);
    expect(stdout).not.toBe('');
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('migrate in a folder without a store', () => {
  it('status lists all as pending, says where it looked and creates none', async () => {
    const { code, stdout, stderr } = await folder.run('migrate status');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1 +apps +pending$/m);
    expect(stderr).toContain(`note: there is no store at ${folder.path}/proofgate.db`);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('up creates one that every command then uses', async () => {
    expect((await folder.run('migrate up')).code).toBe(0);
    expect(await folder.json('apps list')).toEqual({ apps: [] });
  });
});

describe('a command on a store of an older release', () => {
  it('brings it up to date in development', async () => {
    const older = await makeCliFolder();
    onTestFinished(() => older.remove());
    unapplyNewestMigration(older.path);
    expect(await older.json(['apps', 'list'])).toEqual({ apps: [] });
    expect((await older.run(['migrate', 'up'])).stdout).toBe('nothing pending\n');
  });
});
