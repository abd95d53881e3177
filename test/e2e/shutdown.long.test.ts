import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import { type Answer, bodyMaker, send } from '../support/load.ts';
import { startServer } from '../support/server/server-process.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLIENTS = 16;
/** Errors of connections that the server closed or refused: the request was never accepted. */
const NOT_ACCEPTED = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

async function registeredFolder(): Promise<string> {
  const dataDir = temporaryFolder('stop', onTestFinished);
  const url = `libsql:${join(dataDir, 'proofgate.db')}`;
  const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
  await store.migrate();
  await registerLoadApp(store);
  await store.close();
  return dataDir;
}

describe('SIGTERM under load', () => {
  it('answers every accepted request, exits with 0, and keeps every acknowledged nullifier', async () => {
    const dataDir = await registeredFolder();
    const nextBody = await bodyMaker('shutdown');
    const server = await startServer(dataDir);
    const answers: Answer[] = [];
    const acknowledged: string[] = [];
    const faults: string[] = [];
    let isGone = false;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (!isGone) {
          const { body } = nextBody();
          try {
            const answer = await send(server.publicUrl, body);
            answers.push(answer);
            if (answer.status === 200) acknowledged.push(body);
            if (answers.length === 50) server.child.kill('SIGTERM');
          } catch (error) {
            isGone = true;
            const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
            if (!NOT_ACCEPTED.includes(code)) faults.push(code);
          }
        }
      }),
    );
    const { code } = await server.end();
    expect(faults).toEqual([]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(code).toBe(0);
    expect(server.output()).toContain('"event":"service.stopped","open":0');

    const again = await startServer(dataDir);
    const kept = await Promise.all(acknowledged.map((body) => send(again.publicUrl, body)));
    expect(
      kept.filter(({ body }) => body.message !== 'Proof verified successfully (nullifier reuse)'),
    ).toEqual([]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    await again.end('SIGTERM');
  });

  it('exits with 143 during writes when it is sent twice, and keeps every acknowledged nullifier', async () => {
    const dataDir = await registeredFolder();
    const nextBody = await bodyMaker('shutdown-twice');
    const server = await startServer(dataDir, { PROOFGATE_SHUTDOWN_DRAIN_DELAY_MS: '60000' });
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    let isGone = false;
    server.child.once('exit', () => {
      isGone = true;
    });
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (!isGone) {
          const { body } = nextBody();
          const answer = await send(server.publicUrl, body).catch(() => undefined);
          if (answer === undefined) continue;
          statuses.add(answer.status);
          acknowledged.push(body);
          if (acknowledged.length === 50 || acknowledged.length === 100) server.child.kill('SIGTERM');
        }
      }),
    );
    expect(await server.end()).toEqual({ code: 143, signal: null });
    expect(server.output()).not.toContain('panicked');
    expect(server.output()).not.toContain('service.stopped');
    expect(statuses).toEqual(new Set([200]));

    const again = await startServer(dataDir);
    const kept = await Promise.all(acknowledged.map((body) => send(again.publicUrl, body)));
    expect(
      kept.filter(({ body }) => body.message !== 'Proof verified successfully (nullifier reuse)'),
    ).toEqual([]);
    await again.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });
});
