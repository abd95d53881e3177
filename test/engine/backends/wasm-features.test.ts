// Rules: spec/engine.md#webassembly
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../support/backend-process.mjs', import.meta.url));
const RIGHT = [{ ok: true }, { ok: false }];

/** Choice and verdicts of an engine with `backend` in a process with V8 flags. */
function inProcess(backend: string, ...flags: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, SCRIPT, backend], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('the choice of a WASM module', () => {
  it('is the best supported one, and its verdicts are right', () => {
    const arithmetic = expect.stringMatching(/^wasm-(relaxed|simd|scalar)$/);
    expect(inProcess('wasm')).toEqual({ arithmetic, reason: 'engine.backend is wasm', verdicts: RIGHT });
  });

  it.runIf(process.arch === 'x64')('is plain SIMD when relaxed_madd is not fused', () => {
    const flag = '--no-enable-fma3';
    const expected = { arithmetic: 'wasm-simd', reason: 'engine.backend is wasm', verdicts: RIGHT };
    expect(inProcess('wasm', flag)).toEqual(expected);
    expect(inProcess('wasm-relaxed', flag)).toEqual({
      error: expect.stringContaining(
        'wasm-relaxed does not run: relaxed_madd is not fused on this processor',
      ),
    });
  });

  it.runIf(process.arch === 'x64')('is the scalar one without SIMD', () => {
    const flag = '--no-enable-sse4-1';
    const expected = { arithmetic: 'wasm-scalar', reason: 'engine.backend is wasm', verdicts: RIGHT };
    expect(inProcess('wasm', flag)).toEqual(expected);
    for (const backend of ['wasm-relaxed', 'wasm-simd']) {
      expect(inProcess(backend, flag)).toEqual({
        error: expect.stringContaining(
          `${backend} does not run: WebAssembly SIMD is not supported by this processor or runtime`,
        ),
      });
    }
  });

  it.each(['wasm-simd', 'wasm-scalar'])('can be forced: %s', (backend) => {
    const expected = { arithmetic: backend, reason: `engine.backend is ${backend}`, verdicts: RIGHT };
    expect(inProcess(backend)).toEqual(expected);
  });
});
