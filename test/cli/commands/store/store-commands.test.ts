// Rules: spec/operations.md#migrations and spec/operations.md#sweep
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMigrations } from '../../../../src/storage/migrations/migration-files.ts';
import { productionEnv, unapplyNewestMigration, useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();

interface Migration {
  readonly name: string;
  readonly applied_at: string | null;
}

async function migrations(env: Record<string, string>): Promise<readonly Migration[]> {
  const { stdout } = await folder.run('migrate status --json', { env });
  return (JSON.parse(stdout) as { migrations: Migration[] }).migrations;
}

describe('proofgate migrate', () => {
  it('shows pending migrations with exit code 1, applies them, and then has nothing to do', async () => {
    await rm(join(folder.path, 'proofgate.db'));
    const env = productionEnv(folder.path);
    const before = await migrations(env);
    expect(before.length).toBeGreaterThan(0);
    expect(before.every((migration) => migration.applied_at === null)).toBe(true);
    expect((await folder.run('migrate status', { env })).code).toBe(1);
    const names = before.map((migration) => migration.name);
    expect(await folder.json('migrate up', { env })).toEqual({ applied: names, pending: [] });
    const status = await folder.run('migrate status', { env });
    expect(status.code).toBe(0);
    expect(status.stdout).not.toContain('pending');
    expect((await migrations(env)).every((migration) => migration.applied_at !== null)).toBe(true);
    expect((await folder.run('migrate up', { env })).stdout).toBe('nothing pending\n');
  });
});

describe('proofgate migrate on a store of an older release', () => {
  it('tells tables, rows, time and way back before it changes anything, in status and up', async () => {
    const newest = readMigrations().at(-1);
    if (newest === undefined) throw new Error('there is no migration');
    const { version, name, summary, runsFrom } = newest;
    unapplyNewestMigration(folder.path);
    const { code, stdout } = await folder.run('migrate status --json');
    expect(code).toBe(1);
    const { plan } = JSON.parse(stdout) as { plan: { migrations: { changes: { table: string }[] }[] } };
    expect(plan).toMatchObject({
      migrations: [{ version, name, summary, runs_from: runsFrom, estimated_seconds: expect.any(Number) }],
      former_can_start: runsFrom < version,
    });
    const table = plan.migrations[0]?.changes[0]?.table ?? '';
    expect(table).not.toBe('');
    const back = runsFrom < version ? 'former release can start again' : 'former release cannot start';
    const literal = summary.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const told = new RegExp(
      `${version} ${name}: ${literal}\n {4}[^\n]*table ${table}[^]*takes [^]*${back}[^]*backup`,
    );
    expect((await folder.run('migrate status')).stdout).toMatch(told);
    const up = await folder.run('migrate up');
    expect(up.stderr).toMatch(told);
    expect(up.stdout).toBe(`applied ${name}\n`);
    const after = JSON.parse((await folder.run('migrate status --json')).stdout) as { plan: object };
    expect(after.plan).toMatchObject({ migrations: [], former_can_start: true });
  });
});

describe('proofgate sweep', () => {
  it('reports what it removed', async () => {
    expect(await folder.json('sweep')).toEqual({ removed: expect.any(Object) });
    expect((await folder.run('sweep')).code).toBe(0);
  });
});

describe('a store that cannot be opened', () => {
  it('makes a command exit with 69', async () => {
    const place = join(folder.path, 'taken');
    await writeFile(place, 'not a folder');
    const env = { PROOFGATE_STORAGE_URL: `libsql:${place}/proofgate.db` };
    await folder.fails('apps list', 69, 'proofgate: store.unreachable: ', { env });
  });

  it('makes a command exit with 69 when the file is not a database', async () => {
    const place = join(folder.path, 'db');
    await mkdir(place, { mode: 0o700 });
    await writeFile(join(place, 'proofgate.db'), 'x'.repeat(8192));
    await chmod(join(place, 'proofgate.db'), 0o600);
    const env = { PROOFGATE_STORAGE_URL: `libsql:${place}/proofgate.db` };
    await folder.fails('apps list', 69, 'proofgate: store.unreachable: ', { env });
  });
});
