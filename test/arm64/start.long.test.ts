import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMULATED_NODE, MISSING, NOT_RUN, ROOT } from './support/emulator.ts';

interface Start {
  readonly output: string;
  /** Answers to the printed verification command, run twice. */
  readonly answers: readonly unknown[];
  readonly code: number | null;
}

/** Runs what `npm start` runs, in a folder without an addon of this machine, and the command that it prints. */
async function start(): Promise<Start> {
  const [program, ...options] = EMULATED_NODE;
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-arm64-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  // No cargo on the path: it would build an addon for the processor of this machine.
  for (const name of ['bash', 'sh']) symlinkSync(`/bin/${name}`, join(bin, name));
  const child = spawn(program, [...options, '.scripts/start.mjs'], {
    cwd: ROOT,
    env: {
      PATH: bin,
      PROOFGATE_DATA_DIR: join(folder, 'data'),
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_ENGINE_WORKERS: '1',
    },
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  try {
    const command = await new Promise<string>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        const [found] = output.match(/^curl .*\n/m) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      void closed.then(() => reject(new Error(`the service ended before it printed a command:\n${output}`)));
    });
    const paste = (): unknown => JSON.parse(execFileSync('bash', ['-c', command], { encoding: 'utf8' }));
    const answers = [paste(), paste()];
    child.kill('SIGTERM');
    const [code] = await closed;
    return { output, answers, code };
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('npm start on ARM64, under emulation', () => {
  it.skipIf(MISSING !== undefined)(
    `verifies the proof of the printed curl on the committed addon, and ends at SIGTERM${NOT_RUN}`,
    async () => {
      const { output, answers, code } = await start();
      expect(answers[0]).toMatchObject({ success: true, message: 'Proof verified successfully' });
      expect(answers[1]).toMatchObject({ message: 'Proof verified successfully (nullifier reuse)' });
      expect(output).toContain(
        'engine runs on native-arm64: native addon (the one of native/prebuilt) loaded and passed its vectors',
      );
      expect(output).toContain('the committed addon is used');
      expect(code).toBe(0);
    },
    600_000,
  );
});
