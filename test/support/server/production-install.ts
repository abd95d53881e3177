/** A copy of the program as `npm install --omit=dev` installs it: its sources and the production packages. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
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

/** Returns the manifest of the packed service. */
export function packedManifest(): {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
} {
  const script = join(ROOT, '.scripts/pack-server.mjs');
  return JSON.parse(
    execFileSync(process.execPath, [script, '--manifest'], { encoding: 'utf8' }),
  ) as ReturnType<typeof packedManifest>;
}

/** Makes an installation without development dependencies. */
export function makeProductionInstall(): ProductionInstall {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-install-'));
  for (const name of ['dist', 'circuits', 'wasm/artifact']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of Object.keys(packedManifest().dependencies)) {
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
