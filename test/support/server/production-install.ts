/** A copy of the program as `npm install --omit=dev` installs it: its sources and the production packages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A simulated installation in a temporary folder. */
export interface ProductionInstall {
  /** Runs a command in a separate process. */
  run(
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  remove(): void;
}

/** Makes an installation without development dependencies. */
export function makeProductionInstall(): ProductionInstall {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-install-'));
  for (const name of ['dist', 'circuits', 'wasm/artifact']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, '.deploy/npm/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  return {
    async run(argv, env) {
      const child = spawn(process.execPath, ['dist/main.js', ...argv], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const streams = Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = (await once(child, 'close')) as [number | null];
      const [stdout, stderr] = await streams;
      return { code, stdout, stderr };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
