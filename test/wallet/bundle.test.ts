import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT = join(ROOT, 'dist', 'client');
/** Words that survive the minifier and that only snarkjs and what it bundles have. */
const SNARKJS_MARKERS = ['powersOfTau', 'newAccumulator', 'fflonk', 'g1m_multiexpAffine'];

const read = (name: string): string => readFileSync(join(CLIENT, name), 'utf8');
const bundles = (): string[] => readdirSync(CLIENT).filter((name) => /\.(js|css)$/.test(name));

/** Runs the step that bundles the pages; gives what it said. */
function bundle(): string {
  const script = "import { ensureClient } from './.scripts/steps.mjs'; ensureClient();";
  const args = ['--input-type=module', '--eval', script];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stderr;
}

describe('the bundles of the wallet page', () => {
  it('are made once: the second run finds nothing to do', () => {
    bundle();
    const stamp = read('.built.json');
    expect(bundle()).toBe('');
    expect(read('.built.json')).toBe(stamp);
    expect(bundles().sort()).toEqual(['wallet-page.js', 'wallet-worker.js', 'wallet.css']);
  });

  it('hold our code and @noble/hashes, and nothing of a package under the GPL', () => {
    const { inputs } = JSON.parse(read('.built.json')) as { inputs: string[] };
    expect(inputs).toEqual(expect.arrayContaining(['src/client/wallet/page.ts', 'src/semaphore/hashes.ts']));
    const foreign = inputs.filter((input) => !/^(src\/(client|semaphore)|wasm\/artifact)\//.test(input));
    for (const input of foreign) expect(input).toMatch(/^node_modules\/@noble\/hashes\//);
  });

  it('show no trace of snarkjs in their text', () => {
    const main = createRequire(import.meta.url).resolve('snarkjs');
    const shipped = readFileSync(join(dirname(main), 'snarkjs.min.js'), 'utf8');
    for (const marker of SNARKJS_MARKERS) {
      expect(shipped).toContain(marker);
      for (const name of bundles()) expect(read(name), `${marker} in ${name}`).not.toContain(marker);
    }
  });

  it('need nothing that the policy of the page forbids', () => {
    for (const name of bundles().filter((file) => file.endsWith('.js'))) {
      expect(read(name)).not.toMatch(/\beval\(|new Function\(/);
    }
    expect(read('wallet.css')).not.toMatch(/@import|url\((?!["']?data:)/);
  });

  it('are a module for the page and a classic script for the worker, which import nothing', () => {
    for (const name of ['wallet-page.js', 'wallet-worker.js']) {
      expect(read(name)).not.toMatch(/\bimport\s*[("'{*]|\bimport\.meta\b/);
      expect(read(name)).not.toContain('sourceMappingURL');
    }
    expect(read('wallet-worker.js')).not.toMatch(/\bexport\s*\{/);
    expect(read('wallet-worker.js')).toContain('importScripts(');
  });
});
