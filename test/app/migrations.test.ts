// Rules: spec/operations.md#migrations
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/storage/migrations/migration-files.ts';
import { unapplyNewestMigration } from '../cli/support/cli.ts';
import { startApp } from '../support/server/start-app.ts';
import { fillUsedFolder } from '../support/server/used-folder.ts';

const QUICK = { 'signin.enabled': 'false', 'refresh.enabled': 'false' };

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'proofgate-migrations-'));
  await fillUsedFolder(dataDir, QUICK);
});

afterEach(() => rm(dataDir, { recursive: true }));

/** Starts and stops the service; returns the log lines about migrations. */
async function start(): Promise<Readonly<Record<string, unknown>>[]> {
  const app = await startApp({ dataDir, settings: QUICK });
  await app.stop();
  return app.logLines('"event":"store.migrating"');
}

describe('a start on a store with pending migrations', () => {
  it('logs in one event what it will do to the store, and nothing once that is done', async () => {
    const newest = readMigrations().at(-1);
    if (newest === undefined) throw new Error('there is no migration');
    const { version, name, summary, runsFrom } = newest;
    unapplyNewestMigration(dataDir);
    const lines = await start();
    expect(lines).toEqual([
      expect.objectContaining({
        level: runsFrom < version ? 'info' : 'warn',
        plan: expect.arrayContaining([
          `${version} ${name}: ${summary}`,
          expect.stringMatching(/^ {4}takes /),
          expect.stringMatching(/^Afterwards the former release can/),
        ]),
      }),
    ]);
    expect(await start()).toEqual([]);
  });
});
