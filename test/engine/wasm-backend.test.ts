import { describe, expect, it } from 'vitest';
import { findWasm, WasmBackend, type WasmGlue } from '../../src/engine/backends/wasm.ts';
import { Board, type Tray } from '../../src/engine/board.ts';
import { BoardThread } from '../../src/engine/board-thread.ts';
import { drainBoard } from '../../src/engine/drain-board.ts';
import { Performer } from '../../src/engine/perform.ts';
import { INPUTS, KEY, PROOF } from '../../src/engine/self-test-vectors.ts';

interface RawExports {
  readonly memory: WebAssembly.Memory;
  /** @param answer - Where the answer is written to. */
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
// Of the random linear combination; any but zero will do here.
const SEED = new Uint8Array(32).fill(7);

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

describe('the WASM backend', () => {
  const found = findWasm();
  if ('reason' in found || found.kind !== 'wasm') {
    it.skip(`not run: ${'reason' in found ? found.reason : 'not the WASM build'}`, () => undefined);
    return;
  }
  const { glue, module } = found;

  it(`does not grow over ${VERIFICATIONS} verifications`, async () => {
    const backend = await WasmBackend.load(glue, module);
    const key = backend.functions.prepareKey(KEY);
    const batch = new Uint8Array(Buffer.concat(Array.from({ length: BATCH }, () => [PROOF, INPUTS]).flat()));
    // The verdict costs little when a proof is refused early; every other batch is checked in full.
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

  it('throws a trapped instance away and works on with a new one', async () => {
    const loads: number[] = [];
    // The first instance is made to write its answer outside its memory.
    const trapOnce = async (url: string, instance: number): Promise<WasmGlue> => {
      loads.push(instance);
      const real = (await import(`${url}?test=${instance}`)) as WasmGlue;
      if (instance > 0) return real;
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
    const board = new Board(1, 1);
    const verify = async (): Promise<Tray> => {
      const tray = board.take({ id: 1, source: shared(KEY) }, 4, false) as Tray;
      tray.put(0, Buffer.concat([PROOF, INPUTS]));
      tray.open(1);
      const options = { lingerMs: 0, ready: () => undefined, ring: () => undefined };
      await drainBoard(new BoardThread(board.setup, 1), performer, options);
      return tray;
    };
    const first = await verify();
    expect([first.state, first.fault, first.verdictByte(0)]).toEqual([
      'faulty',
      expect.stringContaining('out of bounds'),
      undefined,
    ]);
    const second = await verify();
    expect([second.state, second.verdictByte(0)]).toEqual(['done', 1]);
    expect(loads).toEqual([0, 1]);
  });

  it('is compiled once: a second instance has its own memory', async () => {
    const one = await WasmBackend.load(glue, module);
    const key = one.functions.prepareKey(KEY);
    await one.renew();
    expect(one.instance).toBe(1);
    expect(() => one.functions.verifyBatch(key, new Uint8Array(0), SEED)).toThrow(/^key\.unknown/);
  });
});
