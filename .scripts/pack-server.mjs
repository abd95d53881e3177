/**
 * Packs the service for npm, as `proofgate-server`: the manifest of the workspace `.deploy/npm` with what the service
 * reads at run time, in the layout of the repository. Takes the folder for the tarball (default: the root).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureAll } from './steps.mjs';
import { fail, root } from './tools.mjs';

const CONTENT = ['dist', 'circuits', 'wasm/artifact', 'native/addon', 'native/prebuilt', 'LICENSE'];
/** The library, modules of the bench, stamps and locks of builds, the circuits that a machine has made for itself. */
const LEFT_OUT = /(?:[\\/]dist[\\/](?:library|modules)|[\\/]\.[^\\/]+)$/;

await ensureAll();
const stage = join(root, '.cache', 'proofgate-server');
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
for (const path of CONTENT) {
  const from = join(root, path);
  if (!existsSync(from)) fail(`${path} is not there`);
  cpSync(from, join(stage, path), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
}
cpSync(join(root, '.deploy', 'npm'), stage, { recursive: true });
const target = resolve(process.argv[2] ?? root);
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', target], {
  cwd: stage,
  stdio: ['ignore', 'inherit', 'inherit'],
});
rmSync(stage, { recursive: true, force: true });
if (packed.status !== 0) fail(`npm pack ended with status ${packed.status}`);
