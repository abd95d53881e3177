import { describe, expect, it } from 'vitest';
import { findWasm, WasmBackend, type WasmGlue } from '../../../src/engine/backends/wasm.ts';
import { INPUTS, KEY, PROOF } from '../../../src/engine/self-test/vectors.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import type { Slot } from '../../../src/engine/slots/slot.ts';
import { WorkerSlots } from '../../../src/engine/slots/worker-slots.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import { serveSlots } from '../../../src/engine/worker/serve-slots.ts';

interface RawExports {
  readonly memory: WebAssembly.Memory;
  /** @param answer - Address that the answer is written to. */
  verifyBatch(
    answer: number,
    handle: number,
    pointer: number,
    length: number,
    seedPointer: number,
    seedLength: number,
  ): void;
}

const VERIFICATIONS = 10_000;
const BATCH = 20;
// Seed of the random linear combination; any nonzero seed works here.
const SEED = new Uint8Array(32).fill(7);

describe('the WASM backend', () => {
  const found = findWasm();
  if ('reason' in found || found.kind !== 'wasm') {
    it.skip(`not run: ${'reason' in found ? found.reason : 'not the WASM build'}`, () => undefined);
    return;
  }
  const { glue, module } = found;

  it(`does not grow in memory over ${VERIFICATIONS} verifications`, async () => {
    const backend = await WasmBackend.load(glue, module);
    const key = backend.functions.prepareKey(KEY);
    const batch = new Uint8Array(Buffer.concat(Array.from({ length: BATCH }, () => [PROOF, INPUTS]).flat()));
    // A proof that is refused early is cheap; one batch in ten is checked in full.
    const refused = batch.map((byte, index) => (index % 384 === 0 ? 255 : byte));
    backend.functions.verifyBatch(key, batch, SEED);
    backend.functions.verifyBatch(key, refused, SEED);
    const before = backend.memoryBytes;
    for (let done = 0; done < VERIFICATIONS; done += BATCH) {
      const isFull = done % (BATCH * 10) === 0;
      const verdicts = backend.functions.verifyBatch(key, isFull ? batch : refused, SEED);
      expect(verdicts.every((verdict) => verdict === (isFull ? 1 : 4))).toBe(true);
    }
    expect(backend.memoryBytes).toBe(before);
  }, 120_000);

  it('replaces an instance after a trap and keeps working', async () => {
    const loads: number[] = [];
    // The first instance is made to write its answer outside its memory.
    const trapOnce = async (url: string, instance: number): Promise<WasmGlue> => {
      loads.push(instance);
      const real = (await import(`${url}?test=${instance}`)) as WasmGlue;
      if (loads.length > 1) return real;
      let exports: RawExports | undefined;
      return {
        ...real,
        initSync: (options) => {
          exports = real.initSync(options) as RawExports;
          return exports;
        },
        verifyBatch: (handle, batch) => {
          exports?.verifyBatch(0xffff_0000, handle, 8, 0, 8, 0);
          return batch;
        },
      };
    };
    const backend = await WasmBackend.load(glue, module, trapOnce);
    const performer = new Performer(backend);
    const slots = new BatchSlots(1, 1);
    const verify = async (): Promise<Slot> => {
      const slot = slots.acquireForProofs({ id: 1, source: KEY }, 4, false) as Slot;
      slot.putProof(0, Buffer.concat([PROOF, INPUTS]));
      slot.publish(1);
      const options = { lingerMs: 0, beforeLook: () => undefined, notify: () => undefined };
      await serveSlots(new WorkerSlots(slots.setup, 1), performer, options);
      return slot;
    };
    const first = await verify();
    expect([first.state, first.fault, first.verdictByte(0)]).toEqual([
      'faulty',
      expect.stringContaining('out of bounds'),
      0,
    ]);
    const second = await verify();
    expect([second.state, second.verdictByte(0)]).toEqual(['done', 1]);
    const [trapped = NaN] = loads;
    expect(loads).toEqual([trapped, trapped + 1]);
    await WasmBackend.load(glue, module, trapOnce);
    expect(loads.at(-1)).toBe(trapped + 1);
  });

  it('creates a new instance with its own memory on renewal', async () => {
    const one = await WasmBackend.load(glue, module);
    const key = one.functions.prepareKey(KEY);
    const { instance } = one;
    await one.renew();
    expect(one.instance).toBe(instance + 1);
    expect(() => one.functions.verifyBatch(key, new Uint8Array(0), SEED)).toThrow(/^key\.unknown/);
  });
});
