import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import { inspectDatabase } from '../storage/support/database-files.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../storage/support/rows.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { bodyMaker, type LoadBody, send } from '../support/load.ts';
import { runProofgate, type ServerProcess, startServer } from '../support/server/server-process.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** `BACKUPS=30` makes the run longer. */
const BACKUPS = Number(process.env.BACKUPS ?? 5);
const CLIENTS = 8;
/** Nullifiers stored before the test, so that a backup takes a noticeable time. */
const EARLIER = 20_000;
const folder = temporaryFolder('backup', afterAll);
const dataDir = join(folder, 'data');
const env = { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: dataDir };

/** Sends proofs from several clients until `stop` is called. */
function startLoad(publicUrl: string, nextBody: () => LoadBody) {
  const acknowledged: LoadBody[] = [];
  let isStopped = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isStopped) {
      const sent = nextBody();
      const { status, body } = await send(publicUrl, sent.body);
      if (status !== 200 || body.message !== 'Proof verified successfully') {
        throw new Error(`unexpected answer ${status}: ${JSON.stringify(body)}`);
      }
      acknowledged.push(sent);
    }
  });
  return {
    acknowledged,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

describe('backups of a store under load', () => {
  let server: ServerProcess;
  let nextBody: () => LoadBody;

  beforeAll(async () => {
    const store = await openStore({ url: `libsql:${join(dataDir, 'proofgate.db')}`, ...GROUP_SETTINGS });
    await store.migrate();
    await registerLoadApp(store);
    await Promise.all(Array.from({ length: EARLIER }, () => store.nullifiers.record(nullifierEntry())));
    await store.close();
    nextBody = await bodyMaker('backup');
    server = await startServer(dataDir);
  });

  it(
    `are complete and contain every nullifier acknowledged before them, while verification continues (${BACKUPS} backups)`,
    async () => {
      const load = startLoad(server.publicUrl, nextBody);
      const acknowledgedBefore: number[] = [];
      for (let number = 0; number < BACKUPS; number++) {
        const before = load.acknowledged.length;
        const { code, output } = await runProofgate(['backup', join(folder, `${number}.db`)], env);
        expect(code, output).toBe(0);
        acknowledgedBefore.push(before);
        expect(load.acknowledged.length).toBeGreaterThan(before);
      }
      const running = await runProofgate(['restore', join(folder, '0.db'), '--yes'], env);
      expect(running.code).toBe(75);
      expect(running.output).toContain('proofgate: server.locked: ');
      await load.stop();

      for (const [number, before] of acknowledgedBefore.entries()) {
        const { integrity, nullifiers } = inspectDatabase(join(folder, `${number}.db`));
        expect(integrity).toBe('ok');
        const missing = load.acknowledged
          .slice(0, before)
          .filter(({ nullifier }) => !nullifiers.has(nullifier.slice(2)));
        expect(missing).toEqual([]);
        expect(nullifiers.size).toBeGreaterThanOrEqual(EARLIER + before);
      }
      expect(readdirSync(folder).sort()).toEqual([
        ...acknowledgedBefore.map((_, number) => `${number}.db`),
        'data',
      ]);

      // A restored backup serves: its nullifiers are reuses, later ones are new again.
      expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
      // no process may have the database open, this one included
      await collectGarbage();
      const last = BACKUPS - 1;
      const restored = await runProofgate(['restore', join(folder, `${last}.db`), '--yes'], env);
      expect(restored.code, restored.output).toBe(0);
      const { nullifiers } = inspectDatabase(join(dataDir, 'proofgate.db'));
      server = await startServer(dataDir);
      const known = load.acknowledged.slice(0, acknowledgedBefore[last]).slice(-20);
      const later = load.acknowledged
        .filter(({ nullifier }) => !nullifiers.has(nullifier.slice(2)))
        .slice(-20);
      for (const { body } of known) {
        expect((await send(server.publicUrl, body)).body.message).toContain('(nullifier reuse)');
      }
      for (const { body } of later) {
        expect((await send(server.publicUrl, body)).body.message).toBe('Proof verified successfully');
      }
      expect(known.length).toBeGreaterThan(0);
      expect(later.length).toBeGreaterThan(0);
      expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    },
    120_000 + BACKUPS * 20_000,
  );
});
