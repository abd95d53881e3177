import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** Modules of the server that the pages have, too: requests of operations, and the schemas of their forms. */
const SHARED = [
  'src/config/apps/app-forms.ts',
  'src/config/apps/fields.ts',
  'src/config/apps/policy.ts',
  'src/config/apps/redirect-uri.ts',
  'src/membership/roots/trees.ts',
  'src/operations/app-input.ts',
  'src/operations/request.ts',
  'src/operations/schemas.ts',
];
const COPIED = [
  '.scripts',
  'src/client',
  'src/semaphore',
  ...SHARED,
  'src/bytes.ts',
  'src/json.ts',
  'src/pages.ts',
  'src/text.ts',
  'wasm/artifact',
  'package-lock.json',
  'tsconfig.json',
];
const BUNDLES = [
  'THIRD-PARTY-LICENSES.txt',
  'dashboard-style.css',
  'dashboard.js',
  'demo-callback.js',
  'demo-page.js',
  'demo.css',
  'docs-page.js',
  'docs.css',
  'sign-in-page.js',
  'sign-in.css',
  'swagger-ui-bundle.js',
  'swagger-ui.LICENSE',
  'swagger-ui.css',
  'wait-page.js',
  'wallet-page.js',
  'wallet-worker.js',
  'wallet.css',
];
/** Those made of sources; the files of Swagger UI are copied as they are. */
const OWN_BUNDLES = BUNDLES.filter((name) => !name.startsWith('swagger-ui'));
/** Identifiers of snarkjs and its dependencies that survive the minifier. */
const SNARKJS_MARKERS = ['powersOfTau', 'newAccumulator', 'fflonk', 'g1m_multiexpAffine'];

describe('the bundles of the pages, made in a copy of the repository', () => {
  const root = mkdtempSync(join(tmpdir(), 'proofgate-bundle-'));
  const client = join(root, 'dist', 'client');
  const read = (name: string): string => readFileSync(join(client, name), 'utf8');

  /** Runs the bundling step; returns its output. */
  function bundle(env: NodeJS.ProcessEnv = process.env): string {
    const script = "import { ensureClient } from './.scripts/steps.mjs'; ensureClient();";
    const args = ['--input-type=module', '--eval', script];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
    expect(status, stderr).toBe(0);
    return stderr;
  }

  beforeAll(() => {
    for (const path of COPIED) cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
    expect(bundle()).toContain('bundling the pages');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('are made without the settings of the service, which may be secrets', () => {
    const program = join(root, 'esbuild');
    const seen = join(root, 'seen');
    const resolveBeside = createRequire(createRequire(import.meta.url).resolve('esbuild')).resolve;
    const real = resolveBeside(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
    writeFileSync(program, `#!/bin/sh\necho "$PROOFGATE_ADMIN_TOKEN." >> ${seen}\nexec ${real} "$@"\n`, {
      mode: 0o755,
    });
    rmSync(client, { recursive: true });
    bundle({ ...process.env, ESBUILD_BINARY_PATH: program, PROOFGATE_ADMIN_TOKEN: 'a-secret' });
    expect([...new Set(readFileSync(seen, 'utf8').split('\n'))]).toEqual(['.', '']);
  });

  it('are not made again if nothing changed', () => {
    const stamp = read('.built.json');
    expect(bundle()).toBe('');
    expect(read('.built.json')).toBe(stamp);
    expect(readdirSync(client).sort()).toEqual(['.built.json', ...BUNDLES]);
  });

  it('are made again if one of them is missing', () => {
    const before = read('wallet.css');
    rmSync(join(client, 'wallet.css'));
    expect(bundle()).toContain('bundling the pages');
    expect(read('wallet.css')).toBe(before);
  });

  it('are made again if one of their sources changed', () => {
    appendFileSync(join(root, 'src', 'client', 'base.css'), '.added-later{color:red}');
    expect(bundle()).toContain('bundling the pages');
    expect(read('wallet.css')).toContain('added-later');
    expect(bundle()).toBe('');
  });

  it('contain code of this repository, @noble/hashes, jose, Preact and Swagger UI, and nothing of a package under the GPL', () => {
    const { inputs } = JSON.parse(read('.built.json')) as { inputs: string[] };
    expect(inputs).toEqual(expect.arrayContaining(['src/client/wallet/page.ts', 'src/semaphore/hashes.ts']));
    const foreign = inputs.filter(
      (input) =>
        !SHARED.includes(input) &&
        !/^(src\/(client|semaphore)\/|src\/[a-z]+\.ts$|wasm\/artifact\/)/.test(input),
    );
    for (const input of foreign)
      expect(input).toMatch(
        /(^|\/)node_modules\/(@noble\/hashes|jose|preact|@preact\/signals(-core)?|swagger-ui-dist)\//,
      );
  });

  it('contain no code of snarkjs', () => {
    const main = createRequire(import.meta.url).resolve('snarkjs');
    const shipped = readFileSync(join(dirname(main), 'snarkjs.min.js'), 'utf8');
    for (const marker of SNARKJS_MARKERS) {
      expect(shipped).toContain(marker);
      for (const name of BUNDLES) expect(read(name), `${marker} in ${name}`).not.toContain(marker);
    }
  });

  it('need nothing that the policy of the page forbids', () => {
    for (const name of OWN_BUNDLES.filter((bundled) => bundled.endsWith('.js'))) {
      expect(read(name)).not.toMatch(/\beval\(|new Function\(/);
    }
    for (const name of OWN_BUNDLES.filter((bundled) => bundled.endsWith('.css')))
      expect(read(name)).not.toMatch(/@import|url\((?!["']?data:)/);
  });

  it('are a module for each page and a classic script for the worker, which import nothing', () => {
    for (const name of OWN_BUNDLES.filter((bundled) => bundled.endsWith('.js'))) {
      expect(read(name)).not.toMatch(/\bimport\s*[("'{*]|\bimport\.meta\b/);
      expect(read(name)).not.toContain('sourceMappingURL');
    }
    expect(read('wallet-worker.js')).not.toMatch(/\bexport\s*\{/);
    expect(read('wallet-worker.js')).toContain('importScripts(');
  });
});
