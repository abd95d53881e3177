// Rules: spec/engine.md#webassembly
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../support/backend-process.mjs', import.meta.url));
const RIGHT = [{ ok: true }, { ok: false }];

/** Choice and verdicts of an engine on each of `backends`, in one process with V8 flags. */
function inProcess(backends: readonly string[], ...flags: readonly string[]): unknown[] {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, SCRIPT, ...backends], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  });
  expect(stderr).toBe('');
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

// test/engine/backends/choose-backend.test.ts has the choice of a processor with all features.
describe('the choice of a WASM module', () => {
  it.runIf(process.arch === 'x64')('is plain SIMD when relaxed_madd is not fused', () => {
    expect(inProcess(['wasm', 'wasm-relaxed'], '--no-enable-fma3')).toEqual([
      { arithmetic: 'wasm-simd', reason: 'engine.backend is wasm', verdicts: RIGHT },
      {
        error: expect.stringContaining(
          'wasm-relaxed does not run: relaxed_madd is not fused on this processor',
        ),
      },
    ]);
  });

  it.runIf(process.arch === 'x64')('is the scalar one without SIMD', () => {
    expect(inProcess(['wasm', 'wasm-relaxed', 'wasm-simd'], '--no-enable-sse4-1')).toEqual([
      { arithmetic: 'wasm-scalar', reason: 'engine.backend is wasm', verdicts: RIGHT },
      ...['wasm-relaxed', 'wasm-simd'].map((backend) => ({
        error: expect.stringContaining(
          `${backend} does not run: WebAssembly SIMD is not supported by this processor or runtime`,
        ),
      })),
    ]);
  });
});
