/** Checks passed silently where a tool was absent. They are skipped by name, and fail in CI, which installs the tools. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the scripts run before they look for their tools. */
const PRESENT = ['dirname', 'grep', 'paste', 'realpath', 'tr'];
const TARGETS = ['wasm32-unknown-unknown', 'aarch64-unknown-linux-gnu'];

let folder: string;

/** Makes a folder of programs with a Rust for every target, but none of the other tools. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-tools-'));
  for (const name of PRESENT) {
    const found = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(found, join(folder, name));
  }
  for (const target of TARGETS) {
    const library = join(folder, 'sysroot/lib/rustlib', target, 'lib');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'libstd-0.rlib'), '');
  }
  const rustc = join(folder, 'rustc');
  writeFileSync(rustc, `#!/bin/bash\necho ${join(folder, 'sysroot')}\n`);
  chmodSync(rustc, 0o755);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script where its tools are absent. @param CI - Value of the variable */
function outcomeOf(words: readonly string[], CI: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('/bin/bash', [...words], {
    cwd: ROOT,
    env: { PATH: folder, HOME: folder, CI },
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

describe.each([
  {
    name: 'the rebuild of the WASM modules',
    words: ['.scripts/build-wasm.sh', '--check'],
    skipped: 'skipped: rebuild of the wasm artifact: wasm-pack is not installed\n',
    reason: 'wasm-pack is not installed',
  },
  {
    name: 'the rebuild of the addon for ARM64',
    words: ['.scripts/build-arm64.sh', '--check'],
    skipped: 'skipped: rebuild of the arm64 artifact: aarch64-linux-gnu-gcc is not installed\n',
    reason: 'aarch64-linux-gnu-gcc is not installed',
  },
  {
    name: 'the run of the Rust tests on ARM64',
    words: ['.ci/arm64.sh', '/tmp'],
    skipped: 'skipped: ARM64 under emulation: qemu-aarch64 is not installed\n',
    reason: 'qemu-aarch64 is not installed',
  },
])('$name', ({ words, skipped, reason }) => {
  it('is skipped by name without its tools', () => {
    expect(outcomeOf(words, '')).toEqual({ status: 0, output: skipped });
  });

  it('fails in CI without its tools', () => {
    expect(outcomeOf(words, 'true')).toEqual({ status: 1, output: expect.stringContaining(reason) });
  });
});

describe('the sum of a run of CI', () => {
  it('counts and names the Rust tests that are ignored or lack instructions of the processor', () => {
    const results = mkdtempSync(join(folder, 'results-'));
    const log = [
      'running 4 tests',
      'test a::emulated ... ok',
      'test a::hardware ... ok',
      'test b::agrees ... ok',
      'test long_run ... ignored, takes hours',
      '',
      'successes:',
      '',
      '---- a::hardware stdout ----',
      'skipped: this processor has no Avx2',
      '',
      '',
      'successes:',
      '    a::emulated',
      '    a::hardware',
      '    b::agrees',
      '',
      'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    ];
    writeFileSync(join(results, 'cargo_tests.log'), log.join('\n'));
    const { stdout, status } = spawnSync(process.execPath, ['.ci/sum.mjs', results], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout.split('\n')).toEqual([
      'skipped: cargo_tests.log: long_run',
      'skipped: cargo_tests.log: a::hardware: this processor has no Avx2',
      '2 passed, 0 failed, 2 skipped',
      '',
    ]);
    expect(status).toBe(0);
  });
});
