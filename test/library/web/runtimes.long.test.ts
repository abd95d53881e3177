// Rules: src/docs/library.md
import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEYS, NOW, SAMPLE } from '../credential/support.ts';
import {
  NODES,
  type PackedLibrary,
  packLibrary,
  runInProject,
  toolPath,
  writeProjectFile,
} from '../support/packed-library.ts';
import { KEY } from '../support/semaphore-statement.ts';
import { CASES, EXPECTED_ANSWERS } from '../support/statements.ts';

const POSEIDON_OF_1_2 = '7853200120776062878684798364095072458815029376092732009249414926327459813530';
const EXPECTED = {
  arithmetic: expect.stringMatching(/^wasm-(?:relaxed|simd|scalar)$/) as string,
  answers: EXPECTED_ANSWERS,
  snarkjs: [true, false],
  credential: true,
  poseidon: POSEIDON_OF_1_2,
};
const BY_ITSELF = `
import { checkTable } from './check-table.mjs';
console.log(JSON.stringify(await checkTable({}, true)));
`;
// No file can be fetched; the bytes are given.
const WITH_BYTES = `
import { readFileSync } from 'node:fs';
delete globalThis.fetch;
const { checkTable } = await import('./check-table.mjs');
const module = readFileSync('node_modules/proofgate/wasm/artifact/simd.wasm');
console.log(JSON.stringify(await checkTable({ module }, false)));
`;
const WORKERD = `
import module from './simd.wasm';
import { checkTable } from './check-table.mjs';

export default {
  async test() {
    console.log(JSON.stringify(await checkTable({ module }, false)));
  },
};
`;
const WORKERD_CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundled.js"), (name = "./simd.wasm", wasm = embed "simd.wasm")],
  compatibilityDate = "2026-01-01",
);
const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
`;

let packed: PackedLibrary;
beforeAll(async () => {
  packed = await packLibrary();
  const program = fileURLToPath(new URL('support/check-table.mjs', import.meta.url));
  copyFileSync(program, join(packed.project, 'check-table.mjs'));
  writeProjectFile(
    packed,
    'table.mjs',
    Object.entries({
      key: KEY,
      statements: CASES,
      credential: SAMPLE.json,
      issuerKeys: KEYS,
      now: NOW.getTime(),
    })
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
      .join(''),
  );
  writeProjectFile(packed, 'by-itself.mjs', BY_ITSELF);
  writeProjectFile(packed, 'with-bytes.mjs', WITH_BYTES);
});
afterAll(() => packed.remove());

/** Runs a program that a tool of .ci/library-tools.sh executes; skipped by name without it. */
function itWith(tool: string, title: string, test: (program: string) => Promise<void>): void {
  const program = toolPath(tool);
  if (program === undefined)
    it.skip(`${title} [skipped: no ${tool} in .cache/library-tools]`, () => undefined);
  else it(title, () => test(program));
}

describe('the installed package', () => {
  itWith(
    '@deno/linux-x64-glibc/deno',
    'gives the expected answers in Deno, which may only read files',
    async (deno) => {
      const args = ['run', '--cached-only', '--no-prompt', '--allow-read', 'by-itself.mjs'];
      expect(JSON.parse(await runInProject(packed, deno, args))).toEqual({
        ...EXPECTED,
        inWorker: EXPECTED_ANSWERS,
      });
    },
  );

  itWith('@oven/bun-linux-x64/bin/bun', 'gives the expected answers in Bun', async (bun) => {
    expect(JSON.parse(await runInProject(packed, bun, ['by-itself.mjs']))).toEqual({
      ...EXPECTED,
      inWorker: EXPECTED_ANSWERS,
    });
  });

  itWith(
    '@cloudflare/workerd-linux-64/bin/workerd',
    'gives the expected answers in workerd',
    async (workerd) => {
      const artifact = join(packed.project, 'node_modules/proofgate/wasm/artifact/simd.wasm');
      copyFileSync(artifact, join(packed.project, 'simd.wasm'));
      await build({
        absWorkingDir: packed.project,
        stdin: { contents: WORKERD, resolveDir: packed.project },
        conditions: ['workerd'],
        outfile: 'bundled.js',
        bundle: true,
        format: 'esm',
        target: 'es2022',
        external: ['*.wasm'],
        logLevel: 'error',
      });
      writeProjectFile(packed, 'workerd.capnp', WORKERD_CONFIG);
      const { stdout } = await promisify(execFile)(workerd, ['test', 'workerd.capnp'], {
        cwd: packed.project,
      });
      expect(JSON.parse(stdout)).toEqual({ ...EXPECTED, arithmetic: 'wasm-simd' });
    },
  );

  for (const { name, program } of NODES) {
    const test = program === undefined ? it.skip : it;
    test(`gives the expected answers from given bytes in ${name}, without fetch`, async () => {
      const args = ['--conditions=browser', 'with-bytes.mjs'];
      expect(JSON.parse(await runInProject(packed, program ?? '', args))).toEqual({
        ...EXPECTED,
        arithmetic: 'wasm-simd',
      });
    });
  }
});
