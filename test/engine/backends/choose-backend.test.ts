// Rules: spec/engine.md#choice-of-the-arithmetic
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { BACKEND_CHOICES, WASM_ARITHMETICS } from '../../../src/engine/backends/backend.ts';
import { chooseBackend } from '../../../src/engine/backends/choose-backend.ts';
import { loadNative, nativeAddonFile } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';
import * as lanes from '../../../src/engine/self-test/self-test.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { loadAddon, supportsArithmetic } from '../../support/crypto/crypto-modules.ts';
import { missingReason, startEngine } from '../support/describe-engine.ts';
import { depthKey, PROOFS } from '../support/vectors.ts';

const wasmReason = missingReason('wasm');
const nativeReason = missingReason('native');

const { proof, inputs } = PROOFS.find(({ depth }) => depth === 30) as (typeof PROOFS)[number];
const falseInputs = inputs.with(31, (inputs[31] as number) ^ 1);

/** Arithmetics that this machine supports, the emulated ones last. */
function supportedHere(): string[] {
  const native = ['ifma', 'avx2', 'adx', 'arm64', 'portable', 'ifma-emulated', 'avx2-emulated'];
  return [
    ...native.slice(0, 5).filter((name) => supportsArithmetic(loadAddon(), name)),
    ...WASM_ARITHMETICS.filter((name) => !('reason' in findWasm(name))),
    ...native.slice(5).filter((name) => supportsArithmetic(loadAddon(), name)),
  ];
}

/** A test that needs a backend; skipped with the reason if that is missing. */
function on(reason: string | undefined, title: string, test: () => Promise<void>): void {
  it.skipIf(reason)(`${title}${reason === undefined ? '' : ` (not run: ${reason})`}`, test);
}

/** A self-test that fails for some arithmetics. */
const failingOn =
  (isFaulty: (arithmetic: string) => boolean): typeof lanes.selfTestInLanes =>
  (functions) =>
    isFaulty(functions.arithmetic()) ? 'batch of proofs: wrong' : lanes.selfTestInLanes(functions);

describe('the choice of a backend', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-'));
    writeFileSync(join(folder, 'damaged.node'), 'not a shared library');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  on(nativeReason, 'auto selects the addon when it is built', async () => {
    const { engine, events } = await startEngine({ backend: 'auto', workers: 0 });
    expect(engine.stats()).toMatchObject({
      backend: 'native',
      reason: 'native addon loaded and passed its vectors',
    });
    expect(['ifma', 'avx2', 'adx', 'arm64', 'portable']).toContain(engine.stats().arithmetic);
    expect(events).toEqual([expect.objectContaining({ event: 'engine.started', backend: 'native' })]);
    await engine.close();
  });

  on(nativeReason, 'says that the addon is a committed one', async () => {
    mkdirSync(join(folder, 'prebuilt'));
    const nativeFile = join(folder, 'prebuilt', 'copy.node');
    copyFileSync(nativeAddonFile(), nativeFile);
    expect(await chooseBackend('auto', { nativeFile })).toMatchObject({
      reason: 'native addon (the one of native/prebuilt) loaded and passed its vectors',
    });
    expect(await chooseBackend('native-portable', { nativeFile })).toMatchObject({
      reason: 'engine.backend is native-portable (the one of native/prebuilt)',
    });
  });

  on(nativeReason, 'tests an arithmetic of an addon until it passes once', async () => {
    const nativeFile = join(folder, 'copy.node');
    copyFileSync(nativeAddonFile(), nativeFile);
    const { functions } = loadNative(nativeFile);
    const verify = vi.spyOn(functions, 'verifyBatch').mockReturnValue(new Uint8Array(2));
    const choose = (): Promise<unknown> => chooseBackend('native-portable', { nativeFile });
    await expect(choose()).rejects.toThrow(/fails its vectors/);
    verify.mockRestore();
    const right = vi.spyOn(functions, 'verifyBatch');
    await choose();
    const calls = right.mock.calls.length;
    expect(calls).toBeGreaterThan(0);
    await choose();
    expect(right).toHaveBeenCalledTimes(calls);
    right.mockRestore();
  });

  on(wasmReason, 'tests a compiled module until it passes once', async () => {
    await chooseBackend('wasm-scalar');
    const test = vi.spyOn(lanes, 'selfTestInLanes');
    expect((await chooseBackend('wasm-scalar')).arithmetic).toBe('wasm-scalar');
    expect(test).not.toHaveBeenCalled();
    const failing = failingOn((name) => name === 'wasm-scalar');
    await expect(chooseBackend('wasm-scalar', { selfTest: failing })).rejects.toThrow(/fails its vectors/);
    test.mockRestore();
  });

  on(wasmReason, 'auto selects WASM when the addon is not built, and says why', async () => {
    const internals = { nativeFile: join(folder, 'absent.node') };
    const { engine, events } = await startEngine({ backend: 'auto', workers: 0 }, internals);
    const { arithmetic } = engine.stats();
    const reason = `native addon not built: native/addon/absent.node does not exist; ${arithmetic} runs instead`;
    expect(['wasm-relaxed', 'wasm-simd', 'wasm-scalar']).toContain(arithmetic);
    expect(engine.stats()).toMatchObject({ backend: 'wasm', reason });
    expect(events).toContainEqual({ event: 'engine.started', backend: 'wasm', arithmetic, reason });
    await engine.close();
  });

  on(wasmReason, 'auto selects WASM when the addon does not load', async () => {
    const internals = { nativeFile: join(folder, 'damaged.node') };
    const { engine } = await startEngine({ backend: 'auto', workers: 0 }, internals);
    expect(engine.stats().backend).toBe('wasm');
    expect(engine.stats().reason).toMatch(/^native addon does not load: /);
    await engine.close();
  });

  it('native does not start without the addon, and names the file', async () => {
    await expect(
      startEngine({ backend: 'native' }, { nativeFile: join(folder, 'absent.node') }),
    ).rejects.toMatchObject({
      code: 'engine.backend_unavailable',
      message: expect.stringContaining('absent.node'),
    });
    await expect(
      startEngine({ backend: 'native' }, { nativeFile: join(folder, 'damaged.node') }),
    ).rejects.toMatchObject({ code: 'engine.backend_unavailable' });
  });

  on(nativeReason, 'auto selects the next arithmetic when one fails its vectors, and says so', async () => {
    const [best, next] = supportedHere();
    const failing = failingOn((name) => name === best);
    const { engine, events } = await startEngine({ backend: 'auto', workers: 1 }, { selfTest: failing });
    const reason = `${best} fails its vectors: batch of proofs: wrong; ${next} runs instead`;
    expect(engine.stats()).toMatchObject({ arithmetic: next, reason });
    expect(events).toContainEqual({
      event: 'engine.arithmetic_refused',
      arithmetic: best,
      reason: 'batch of proofs: wrong',
    });
    await engine.registerKey('key', depthKey(30));
    expect(await engine.verify('key', proof, inputs)).toEqual({ ok: true });
    await engine.close();
  });

  it.skipIf(nativeReason || wasmReason)(
    'auto selects WASM when every arithmetic of the addon fails its vectors, and leaves the addon unchanged',
    async () => {
      const { engine: before } = await startEngine({ backend: 'native-portable', workers: 0 });
      await before.close();
      const failing = failingOn((name) => !name.startsWith('wasm'));
      const { engine, events } = await startEngine({ backend: 'auto', workers: 0 }, { selfTest: failing });
      const { backend, reason } = engine.stats();
      expect(backend).toBe('wasm');
      expect(reason).toMatch(/portable fails its vectors: batch of proofs: wrong; wasm-\w+ runs instead$/);
      expect(events.filter(({ event }) => event === 'engine.arithmetic_refused')).toHaveLength(
        supportedHere().filter((name) => !name.includes('-')).length,
      );
      expect(loadAddon()?.arithmetic()).toBe('portable');
      await engine.close();
      await expect(startEngine({ backend: 'native' }, { selfTest: failing })).rejects.toMatchObject({
        code: 'engine.backend_unavailable',
        message: expect.stringContaining('portable fails its vectors: batch of proofs: wrong'),
      });
      expect(loadAddon()?.arithmetic()).toBe('portable');
    },
  );

  on(wasmReason, 'wasm uses the best module that is supported', async () => {
    expect(await chooseBackend('wasm')).toMatchObject({
      arithmetic: supportedHere().find((name) => name.startsWith('wasm-')),
      reason: 'engine.backend is wasm',
    });
  });

  it.each(BACKEND_CHOICES.filter((choice) => choice.includes('-')))(
    '%s uses exactly that arithmetic, or says why it cannot',
    async (choice) => {
      const arithmetic = choice.replace('native-', '');
      if (supportedHere().includes(arithmetic)) {
        // A worker tests the arithmetic once more, which takes long on WASM and where it is emulated.
        const { engine } = await startEngine({ backend: choice, workers: RUNS_ALL ? 1 : 0 });
        expect(engine.stats()).toMatchObject({ arithmetic, reason: `engine.backend is ${choice}` });
        await engine.registerKey('key', depthKey(30));
        const verdicts = [inputs, falseInputs].map((each) => engine.verify('key', proof, each));
        expect(await Promise.all(verdicts)).toEqual([{ ok: true }, { ok: false }]);
        await engine.close();
      } else {
        await expect(startEngine({ backend: choice })).rejects.toMatchObject({
          code: 'engine.backend_unavailable',
          message: expect.stringMatching(/does not run: |not built: |not found: /),
        });
      }
    },
  );

  it.skipIf(nativeReason)('of a second engine does not affect the keys of the first', async () => {
    const first = await startEngine({ backend: 'native', workers: 1 });
    await first.engine.registerKey('key', depthKey(30));
    const second = await startEngine({ backend: 'native-portable', workers: 1 });
    await second.engine.registerKey('key', depthKey(30));
    const verdicts = await Promise.all(
      [first, second].flatMap(({ engine }) =>
        Array.from({ length: 20 }, () => engine.verify('key', proof, inputs)),
      ),
    );
    expect(verdicts.every(({ ok }) => ok)).toBe(true);
    await second.engine.close();
    expect(await first.engine.verify('key', proof, inputs)).toEqual({ ok: true });
    await first.engine.close();
  });

  it('has the values of the setting engine.backend', () => {
    const row = SETTINGS.find(({ key }) => key === 'engine.backend');
    expect(row).toMatchObject({ choices: BACKEND_CHOICES });
  });
});
