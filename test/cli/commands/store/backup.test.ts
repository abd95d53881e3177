// Rules: spec/operations.md#backup-and-restore
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LibsqlConnection } from '../../../../src/storage/drivers/libsql-connection.ts';
import { openStore } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS } from '../../../storage/support/rows.ts';
import { makeEmptyCliFolder, NOW, productionEnv, useCliFolder } from '../../support/cli.ts';
import { runProcess } from '../../support/process.ts';

const APP = 'app_369183bd38f1641b6964ab51d7a20434';
const folder = useCliFolder();
let file: string;

beforeEach(async () => {
  file = join(folder.path, 'copy.db');
});

/**
 * Runs a command in a separate process: in this one, the database may stay open for a while after its end.
 */
async function runSeparately(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = { PROOFGATE_DATA_DIR: folder.path },
): Promise<void> {
  const { code, stderr } = await runProcess(argv, env);
  if (code !== 0) throw new Error(stderr);
}

describe('proofgate backup', () => {
  it('says what it wrote, and what is not in the file', async () => {
    const { code, stdout, stderr } = await runProcess(['backup', file], { PROOFGATE_DATA_DIR: folder.path });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^${file}: 0\\.\\d MiB, intact, \\d+ migrations, apps 0, nullifiers 0, .*\\nSHA-256 [0-9a-f]{64}\\n$`,
      ),
    );
    expect(stderr).toMatch(/^0\.\d MiB copied; checking the copy$/m);
    expect(stderr).toContain(`note: the master key is not in the file; the development profile keeps it in`);
    expect(stderr).toContain(join(folder.path, 'master-key'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('prints the same as JSON, and nothing on standard error with --quiet', async () => {
    const { stdout, stderr } = await folder.run(['backup', file, '--json', '--quiet']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      file,
      bytes: statSync(file).size,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: expect.objectContaining({ apps: 0, schema_migrations: expect.any(Number) }),
      migrations: expect.arrayContaining(['apps', 'client-secret-keys']),
      integrity: 'ok',
    });
  });

  it('is recorded in the store, so that its age can be watched', async () => {
    await runSeparately(['backup', file]);
    const store = await openStore({ ...GROUP_SETTINGS, url: `libsql:${folder.path}/proofgate.db` });
    onTestFinished(() => store.close());
    const { finishedAt = 0, bytes, sha256 } = (await store.backups.last()) ?? {};
    expect(finishedAt).toBeGreaterThan(statSync(file).birthtimeMs);
    expect(bytes).toBe(statSync(file).size);
    expect(Buffer.from(sha256 ?? []).toString('hex')).toBe(
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    );
  });

  it('is complete although the store cannot record it, and says so', async () => {
    const store = new LibsqlConnection(`${folder.path}/proofgate.db`, 0);
    store.execute('drop table backups');
    store.close();
    const { code, stderr } = await folder.run(['backup', file, '--quiet']);
    expect(stderr).toContain('warning: the store does not know of this backup');
    expect(code).toBe(0);
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  it('refuses a file that exists unless --force is given', async () => {
    await folder.json(['backup', file]);
    const before = readFileSync(file);
    await folder.json(['apps', 'add', '--app-id', APP]);
    const { code, stderr } = await folder.run(['backup', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `proofgate: backup.exists: ${file} exists\n  cure: Choose another name, or give --force.`,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await folder.json(['backup', file, '--force'])).toMatchObject({ rows: { apps: 1 } });
  });

  it('exits with 78 when there is no store, and creates none', async () => {
    const empty = await makeEmptyCliFolder();
    onTestFinished(() => empty.remove());
    const { code, stderr } = await empty.run(['backup', file]);
    expect(code).toBe(78);
    expect(stderr).toContain(`there is no store at ${empty.path}/proofgate.db: storage.url is not set`);
    expect(readdirSync(empty.path)).toEqual([]);
  });

  it('does not guess the store in production', async () => {
    for (const argv of [
      ['backup', file],
      ['restore', file, '--yes'],
    ]) {
      const { code, stderr } = await folder.run(argv, { env: { PROOFGATE_PROFILE: 'production' } });
      expect(code).toBe(78);
      expect(stderr).toContain('storage.url (PROOFGATE_STORAGE_URL): required when profile is "production"');
    }
    expect((await folder.run(['backup', file], { env: productionEnv(folder.path) })).code).toBe(0);
  });
});

describe('proofgate restore', () => {
  /** A backup, and the store that it was made of after an app was added. */
  const made = useCliFolder({ isShared: true });

  beforeAll(async () => {
    const env = { PROOFGATE_DATA_DIR: made.path };
    await runSeparately(['backup', join(made.path, 'copy.db')], env);
    await runSeparately(['apps', 'add', '--app-id', APP], env);
  });

  /** Gives a test its own copy of both. */
  function copyMade(): void {
    for (const name of ['copy.db', 'proofgate.db']) {
      copyFileSync(join(made.path, name), join(folder.path, name));
    }
  }

  it('asks for confirmation, naming both stores, and changes nothing without it', async () => {
    copyMade();
    const refused = await folder.run(['restore', file]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('proofgate: cli.refused: Replace ');
    expect(refused.stderr).toMatch(
      /\(apps 1, nullifiers 0, .*\) with .*copy\.db \(apps 0, nullifiers 0, .*\)\?/,
    );
    const no = await folder.run(['restore', file], { isInteractive: true, stdin: Readable.from(['n\n']) });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('not confirmed; nothing was changed');
    expect(await folder.json('apps list')).toMatchObject({ apps: [{ app_id: APP }] });
  });

  it('restores, and names the file that holds the replaced store', async () => {
    copyMade();
    const result = await runProcess(['restore', file, '--yes', '--json'], {
      PROOFGATE_DATA_DIR: folder.path,
    });
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain('checking the backup');
    const report = JSON.parse(result.stdout) as { store: string; replaced: string };
    expect(report).toMatchObject({ store: join(folder.path, 'proofgate.db'), pending: [], integrity: 'ok' });
    expect(report.replaced).toMatch(/proofgate\.db\.replaced-\d{4}-\d\d-\d\dT\d{6}Z$/);
    expect(statSync(report.replaced).size).toBeGreaterThan(0);
    expect(await folder.json('apps list')).toEqual({ apps: [] });
  });

  it('creates a store when there is none', async () => {
    await folder.json(['apps', 'add', '--app-id', APP]);
    await runSeparately(['backup', file]);
    const empty = await makeEmptyCliFolder();
    onTestFinished(() => empty.remove());
    const { code, stdout } = await empty.run(['restore', file], { now: NOW });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^restored .*proofgate\.db: apps 1, /);
    expect(await empty.json('apps list')).toMatchObject({ apps: [{ app_id: APP }] });
  });

  it('refuses a missing backup', async () => {
    const { code, stderr } = await folder.run(['restore', join(folder.path, 'absent'), '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: backup.damaged: ');
    expect(stderr).toContain('ENOENT');
  });
});
