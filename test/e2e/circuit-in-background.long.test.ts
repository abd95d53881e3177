import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findCircuitFiles } from '../../src/development/circuit-files.ts';
import type { CircuitStatus } from '../../src/pages.ts';
import { childrenOf, raisePriority } from '../support/server/processes.ts';
import { type ServerProcess, startServer } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATIENCE = { interval: 200 } as const;

let dataDir: string;
let server: ServerProcess | undefined;

beforeEach(() => {
  dataDir = temporaryFolder('background', onTestFinished);
});

afterEach(async () => {
  await server?.end('SIGKILL');
  server = undefined;
});

const start = async (): Promise<ServerProcess> => {
  server = await startServer(dataDir, { PROOFGATE_PROFILE: 'development' });
  return server;
};
const statusAt = async ({ publicUrl }: ServerProcess): Promise<CircuitStatus> => {
  const answer = await fetch(`${publicUrl}/wallet/api/circuit`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return (await answer.json()) as CircuitStatus;
};
const circuitFolders = (): string[] =>
  existsSync(join(dataDir, 'circuits')) ? readdirSync(join(dataDir, 'circuits')) : [];

describe('serve in profile development without a circuit', { timeout: 180_000 }, () => {
  it('makes the circuit in the background, logs it, and finds it at the next start', async () => {
    const first = await start();
    const shares: number[] = [];
    await expect
      .poll(async () => {
        for (const pid of childrenOf(first.child.pid ?? 0, 'setup-process')) raisePriority(pid);
        const status = await statusAt(first);
        if (status.status === 'making') shares.push(status.share);
        return status.status;
      }, PATIENCE)
      .toBe('ready');
    expect(shares.length).toBeGreaterThan(0);
    expect(shares).toEqual([...shares].sort((one, other) => one - other));
    expect(await findCircuitFiles(dataDir)).toBeDefined();
    await expect.poll(() => first.output(), PATIENCE).toContain('"event":"circuit.ready"');
    const stages = ['compiling the circuit', 'computing the proving key', 'writing the proving key'];
    for (const stage of stages) expect(first.output()).toContain(`made in the background: ${stage}`);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const second = await start();
    expect(await statusAt(second)).toEqual({ status: 'ready' });
    expect(second.output()).not.toContain('circuit.making');
  });

  it('leaves no files of the circuit when it is stopped before the end', async () => {
    const stopped = await start();
    await expect.poll(() => stopped.output(), PATIENCE).toContain('"event":"circuit.making"');
    expect(await stopped.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(circuitFolders()).toEqual([]);
  });

  it('leaves no unfinished work when it is killed', async () => {
    const killed = await start();
    await expect.poll(() => killed.output(), PATIENCE).toContain('"event":"circuit.making"');
    await expect.poll(circuitFolders, PATIENCE).toHaveLength(1);
    await killed.end('SIGKILL');
    await expect.poll(circuitFolders, PATIENCE).toEqual([]);
  });
});
