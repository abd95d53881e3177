import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import { bodyMaker, type LoadBody, send } from '../support/load.ts';
import { startServer } from '../support/server/server-process.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** `KILLS=100` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 10);
const CLIENTS = 16;
const dataDir = temporaryFolder('kill', afterAll);

/** Returns a time from 20 to 519 ms that depends on the round alone. */
const momentOf = (round: number): number =>
  20 + (createHash('sha256').update(`moment ${round}`).digest().readUInt32BE() % 500);

/** Sends from several clients until the server is gone; returns each acknowledged nullifier with its created_at. */
async function loadUntilKilled(
  publicUrl: string,
  nextBody: () => LoadBody,
  onFirst: () => void,
): Promise<Map<LoadBody, string>> {
  const acknowledged = new Map<LoadBody, string>();
  let isGone = false;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (!isGone) {
        const sent = nextBody();
        try {
          const { status, body } = await send(publicUrl, sent.body);
          if (status !== 200 || body.message !== 'Proof verified successfully') {
            throw new Error(`unexpected answer ${status}: ${JSON.stringify(body)}`);
          }
          if (acknowledged.size === 0) onFirst();
          acknowledged.set(sent, body.created_at ?? '');
        } catch (error) {
          const isCut = error instanceof Error && 'code' in error;
          if (!isCut) throw error;
          isGone = true;
        }
      }
    }),
  );
  return acknowledged;
}

describe('a process that is killed with SIGKILL under load', () => {
  it(
    `keeps every acknowledged nullifier with its created_at over ${KILLS} kills`,
    async () => {
      const url = `libsql:${join(dataDir, 'proofgate.db')}`;
      const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
      await store.migrate();
      await registerLoadApp(store);
      await store.close();
      const nextBody = await bodyMaker('kill');
      const lost: string[] = [];
      let total = 0;
      let server = await startServer(dataDir);
      for (let round = 0; round < KILLS; round++) {
        const killed = server;
        const acknowledged = await loadUntilKilled(killed.publicUrl, nextBody, () => {
          setTimeout(() => killed.child.kill('SIGKILL'), momentOf(round));
        });
        await killed.end('SIGKILL');
        server = await startServer(dataDir);
        for (const [{ body, nullifier }, createdAt] of acknowledged) {
          const again = await send(server.publicUrl, body);
          const isKept =
            again.body.message === 'Proof verified successfully (nullifier reuse)' &&
            again.body.created_at === createdAt;
          if (!isKept) lost.push(`round ${round}: ${nullifier} ${JSON.stringify(again.body)}`);
        }
        total += acknowledged.size;
      }
      const { code } = await server.end('SIGTERM');
      console.log(`kill -9: ${KILLS} kills, ${total} acknowledged nullifiers, ${lost.length} lost`);
      expect(lost).toEqual([]);
      expect(total).toBeGreaterThan(KILLS);
      expect(code).toBe(0);
    },
    60_000 + KILLS * 15_000,
  );
});
