import { describe, expect, it } from 'vitest';
import { findWasm, WasmBackend } from '../../../src/engine/backends/wasm.ts';
import { INPUTS, KEY, PROOF } from '../../../src/engine/self-test/vectors.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import type { Slot } from '../../../src/engine/slots/slot.ts';
import { WorkerSlots } from '../../../src/engine/slots/worker-slots.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import { serveSlots } from '../../../src/engine/worker/task-handler.ts';
import { instantiate, type ProofgateWasm } from '../../../wasm/artifact/proofgate_wasm.js';

/** A module with a function `f` that traps at once. */
const TRAP = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00,
  0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00, 0x0a, 0x05, 0x01, 0x03, 0x00, 0x00, 0x0b,
]);

/** Leaves nothing of an instance usable, then traps. */
function trap({ memory }: ProofgateWasm): never {
  new Uint8Array(memory.buffer).fill(0xff);
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(TRAP)).exports as { readonly f: () => void };
  f();
  throw new Error('expected a trap');
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
  const { module } = found;

  it(`does not grow in memory over ${VERIFICATIONS} verifications`, async () => {
    const backend = new WasmBackend(module);
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
  });

  it('replaces an instance after a trap and keeps working', async () => {
    let instances = 0;
    const trapOnce = (compiled: WebAssembly.Module): ProofgateWasm => {
      instances += 1;
      const real = instantiate(compiled);
      return instances > 1 ? real : { ...real, verifyBatch: () => trap(real) };
    };
    const backend = new WasmBackend(module, trapOnce);
    const performer = new Performer(backend);
    const slots = new BatchSlots(1, 1);
    const verify = async (): Promise<Slot> => {
      const slot = slots.acquireForProofs({ id: 1, source: KEY }, 4, false) as Slot;
      slot.putProof(0, Buffer.concat([PROOF, INPUTS]));
      slot.publish(1);
      const options = { lingerMs: 0, beforePoll: () => undefined, notify: () => undefined };
      await serveSlots(new WorkerSlots(slots.setup, 1), performer, options);
      return slot;
    };
    const first = await verify();
    expect([first.state, first.fault, first.verdictByte(0)]).toEqual([
      'faulty',
      expect.stringContaining('unreachable'),
      0,
    ]);
    const second = await verify();
    expect([second.state, second.verdictByte(0)]).toEqual(['done', 1]);
    expect([instances, backend.instance]).toEqual([2, 1]);
  });

  it('has memory and keys of its own, and new ones after a renewal', async () => {
    const [one, other] = [new WasmBackend(module), new WasmBackend(module)];
    const key = one.functions.prepareKey(KEY);
    const verify = ({ functions }: WasmBackend): Uint8Array =>
      functions.verifyBatch(key, new Uint8Array(Buffer.concat([PROOF, INPUTS])), SEED);
    expect(() => verify(other)).toThrow(/^key\.unknown/);
    expect([...verify(one)]).toEqual([1]);
    await one.renew();
    expect(one.instance).toBe(1);
    expect(() => verify(one)).toThrow(/^key\.unknown/);
  });
});
