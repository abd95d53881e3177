/** The package, checked by publint, by attw and by TypeScript in a project for the web. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedLibrary, packLibrary, toolPath, writeProjectFile } from '../support/packed-library.ts';

const run = promisify(execFile);
const TSC = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

const PROGRAM = `
import { createEngine, createWorkerEngine, type Engine, poseidon, ProofgateError, type Verdict } from 'proofgate';
import { verifyCredential } from 'proofgate/credential';
import { groth16 } from 'proofgate/snarkjs';
import * as web from 'proofgate/web';
import 'proofgate/web-worker';

const engine: Engine = await createEngine({ module: fetch('/simd.wasm'), workers: 2 });
const other: web.Engine = await createWorkerEngine({ worker: () => new Worker('/worker.js', { type: 'module' }) });
const byName: Engine = await web.createEngine({ module: (arithmetic) => new URL(arithmetic, location.href) });
const verdict: Verdict = await engine.verify('key', new Uint8Array(256), ['1', 2n, 3]);
const message: string = verdict.valid ? other.stats().arithmetic : verdict.message;
const isValid: boolean = await groth16.verify({}, ['1'], { pi_a: [], pi_b: [], pi_c: [] });
const { valid } = await verifyCredential('{}', { issuerKeys: '[]' });
const hash: bigint = await poseidon([1, 2]);
export const values = [message, isValid, valid, hash, new ProofgateError('a.b', 'c').code, byName];
// @ts-expect-error a key has an id
await engine.addKey();
`;

let packed: PackedLibrary;
beforeAll(async () => {
  packed = await packLibrary();
});
afterAll(() => packed.remove());

/** Runs a checker; returns what it printed if it found faults. */
async function faultsOf(program: string, args: readonly string[]): Promise<string> {
  try {
    await run(process.execPath, [program, ...args], { cwd: packed.project });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return `${stdout}${stderr}` || String(error);
  }
}

describe('the types of the package', () => {
  it('need no types but those of the web', async () => {
    writeProjectFile(packed, 'page.ts', PROGRAM);
    writeProjectFile(
      packed,
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          lib: ['es2022', 'dom'],
          types: [],
          module: 'esnext',
          moduleResolution: 'bundler',
          customConditions: ['browser'],
          strict: true,
          noEmit: true,
          skipLibCheck: false,
        },
        files: ['page.ts'],
      }),
    );
    expect(await faultsOf(TSC, ['-p', 'tsconfig.json'])).toBe('');
  });
});

const CHECKERS = [
  ['publint', 'publint/src/cli.js', ['node_modules/proofgate', '--strict', '--pack', 'false']],
  // CommonJS callers of Node 20 use import(); the others can require() the modules.
  ['attw', '@arethetypeswrong/cli/dist/index.js', ['--profile', 'esm-only', '--no-color']],
] as const;

describe('the package', () => {
  for (const [name, path, args] of CHECKERS) {
    const program = toolPath(path);
    const test = program === undefined ? it.skip : it;
    test(`has no faults for ${name}${program === undefined ? ' [skipped: not in .cache/library-tools]' : ''}`, async () => {
      expect(await faultsOf(program ?? '', name === 'attw' ? [packed.tarball, ...args] : args)).toBe('');
    });
  }
});
