// Rules: spec/engine.md#rounding
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendChoice } from '../../../src/engine/backends/backend.ts';
import { chooseBackend } from '../../../src/engine/backends/choose-backend.ts';
import { messageOf } from '../../../src/text.ts';

const SCRIPT = fileURLToPath(new URL('../support/rounding-process.mjs', import.meta.url));
/** Sets the two bits of MXCSR that control how an x86-64 rounds when it is loaded. */
const SOURCE = `
#include <xmmintrin.h>
__attribute__((constructor)) static void change(void) { _mm_setcsr((_mm_getcsr() & ~0x6000u) | MODE); }
`;
const MODES = [
  { rounding: 'down', mode: '0x2000' },
  { rounding: 'up', mode: '0x4000' },
  { rounding: 'to zero', mode: '0x6000' },
] as const;

/** Returns why a backend cannot be tested here. */
async function missingReason(choice: BackendChoice): Promise<string | undefined> {
  if (process.arch !== 'x64') return 'the processor is no x86-64';
  if (spawnSync('cc', ['--version']).status !== 0) return 'cc is not installed';
  return await chooseBackend(choice).then(() => undefined, messageOf);
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-rounding-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Answers of engines on each backend in a process that loads a library which changes the rounding. */
function answersAround(mode: string, backends: readonly BackendChoice[]): unknown[] {
  const source = join(folder, `${mode}.c`);
  const library = join(folder, `${mode}.so`);
  writeFileSync(source, SOURCE);
  const compiler = spawnSync('cc', ['-shared', '-fPIC', `-DMODE=${mode}`, '-o', library, source], {
    encoding: 'utf8',
  });
  expect(compiler.stderr).toBe('');
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, library, ...backends], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe.each(MODES)('after a library was loaded that makes the thread round $rounding', ({ mode }) => {
  for (const arithmetic of ['ifma', 'avx2'] as const) {
    const backend = `native-${arithmetic}` as const;
    it(`${backend} verifies as before`, async (test) => {
      const missing = await missingReason(backend);
      test.skip(missing !== undefined, missing);
      const steps = (step: string, answer: string): unknown[] =>
        [0, 1].map((workers) => ({ step, backend, workers, answer }));
      expect(answersAround(mode, [backend])).toEqual([
        ...steps('before', 'right'),
        ...steps('after', 'right'),
        ...steps('started after', `right on ${arithmetic}`),
      ]);
    });
  }

  it('wasm-relaxed gives no verdict in such a thread, and wasm-simd is chosen', async (test) => {
    const missing = await missingReason('wasm-relaxed');
    test.skip(missing !== undefined, missing);
    const answers = answersAround(mode, ['wasm-relaxed', 'wasm']) as { step: string; answer: string }[];
    const answersOf = (wanted: string): string[] =>
      answers.filter(({ step }) => step === wanted).map(({ answer }) => answer);
    expect(answersOf('before')).toEqual(Array(4).fill('right'));
    // A worker of before keeps the mode in which it was started.
    const refused = 'error: The workers of the engine cannot start';
    expect(answersOf('after')).toEqual([refused, 'right', refused, 'right']);
    const notRun = expect.stringContaining(
      'wasm-relaxed does not run: a library in this process has changed',
    );
    expect(answersOf('started after')).toEqual([notRun, notRun, 'right on wasm-simd', 'right on wasm-simd']);
  });
});
