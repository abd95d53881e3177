import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ANY_BACKEND } from '../engine/support/describe-engine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: { readonly start: string };
};
/** Flags of Node, each of which every supported Node must know, and the program. */
const [, ...START] = scripts.start.split(' ');

interface Answer {
  readonly success: boolean;
  readonly message: string;
  readonly created_at: string;
}

interface RefreshAnswer {
  readonly success: boolean;
  readonly credential: string;
}

interface FirstStart {
  readonly output: string;
  /** Answers to the printed verification command, run twice. */
  readonly answers: Answer[];
  /** Answer to the printed refresh command. */
  readonly refreshed: RefreshAnswer;
  /** Answer to the printed command that checks a proof of any circuit. */
  readonly anyCircuit: unknown;
  /** Output of `credential verify` for that credential. */
  readonly verified: unknown;
  readonly code: number | null;
}

/** Runs what `npm start` runs, with a new data folder on free ports, then runs the commands that it prints. */
async function firstStart(backend: string): Promise<FirstStart> {
  const dataDir = temporaryFolder('start', onTestFinished);
  const child = spawn(process.execPath, START, {
    cwd: ROOT,
    env: {
      ...process.env,
      PROOFGATE_DATA_DIR: dataDir,
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_ENGINE_BACKEND: backend,
    },
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  try {
    const [verify = '', refresh = '', groth16 = ''] = await new Promise<string[]>((resolve, reject) => {
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = output.match(/^curl .*\n/gm) ?? [];
        if (found.length === 3) resolve(found);
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      void closed.then(() =>
        reject(new Error(`the service ended before it printed all commands:\n${output}`)),
      );
    });
    const paste = (command: string): unknown =>
      JSON.parse(execFileSync('bash', ['-c', command], { encoding: 'utf8' }));
    const answers = [paste(verify), paste(verify)] as Answer[];
    const refreshed = paste(refresh) as RefreshAnswer;
    const anyCircuit = paste(groth16);
    const verified = paste(
      `echo ${refreshed.credential} | node .scripts/proofgate.mjs credential verify - --json --dataDir ${dataDir}`,
    );
    child.kill('SIGTERM');
    const [code] = await closed;
    return { output, answers, refreshed, anyCircuit, verified, code };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('npm start in an empty folder', () => {
  for (const backend of ANY_BACKEND) {
    it(`prints a curl that verifies a real proof and shows its reuse, one that refreshes a credential, and one for any circuit (${backend})`, async () => {
      const { output, answers, refreshed, anyCircuit, verified, code } = await firstStart(backend);
      const [first, second] = answers;
      expect(first).toMatchObject({ success: true, message: 'Proof verified successfully' });
      expect(second).toMatchObject({
        success: true,
        message: 'Proof verified successfully (nullifier reuse)',
      });
      expect(second?.created_at).toBe(first?.created_at);
      expect(refreshed).toMatchObject({ success: true, message: 'Credential refreshed successfully' });
      expect(anyCircuit).toEqual({ valid: true });
      expect(verified).toMatchObject({ valid: true, expired: false });
      expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+\/healthz/);
      expect(output).toContain(`engine runs on ${backend}`);
      expect(code).toBe(0);
    }, 600_000);
  }
});
