/**
 * Packs the service for npm, as `proofgate-server`: what it reads at run time, in the layout of the repository, with a manifest
 * that names the packages outside of its bundle alone. Takes the folder for the tarball (default: the root); with
 * `--manifest`, only prints the manifest.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureAll, UNBUNDLED } from './steps.mjs';
import { fail, npm, root } from './tools.mjs';

/** Modules of the bench, stamps and locks of builds, the circuits that a machine has made for itself. */
const LEFT_OUT = /(?:[\\/]dist[\\/]modules|[\\/]\.[^\\/]+)$/;

/** Returns the manifest of the package: that of the root, without what only a checkout needs. */
function packedManifest() {
  const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { private: _, workspaces, scripts, scarfSettings, napi, devDependencies, ...manifest } = whole;
  const unbundled = (all) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => UNBUNDLED.includes(name)));
  return {
    ...manifest,
    bin: { proofgate: 'dist/main.js' },
    dependencies: unbundled(manifest.dependencies),
    optionalDependencies: unbundled(manifest.optionalDependencies),
  };
}

async function pack(target) {
  await ensureAll();
  const manifest = packedManifest();
  const stage = join(root, '.cache', 'proofgate-server');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  for (const pattern of [...manifest.files, 'LICENSE', 'README.md']) {
    const path = pattern.replace('/*.node', '');
    if (!existsSync(join(root, path))) fail(`${path} is not there`);
    cpSync(join(root, path), join(stage, path), { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
  }
  writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest, null, 2));
  const packed = npm(['pack', '--silent', '--pack-destination', target], {
    cwd: stage,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  rmSync(stage, { recursive: true, force: true });
  if (packed.status !== 0) fail(`npm pack ended with status ${packed.status}`);
}

const [argument = root] = process.argv.slice(2);
if (argument === '--manifest') process.stdout.write(JSON.stringify(packedManifest(), null, 2));
else await pack(resolve(argument));
