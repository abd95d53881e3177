// Rules: spec/engine.md#slots
import { describe, expect, it } from 'vitest';
import type { CallOperation, CallResult, KeyReference } from '../../../src/engine/operation.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import type { Slot } from '../../../src/engine/slots/slot.ts';
import {
  type TakenBatch,
  type TakenCalls,
  type TakenProofs,
  WorkerSlots,
} from '../../../src/engine/slots/worker-slots.ts';

const KEY: KeyReference = { id: 3, source: 4_000_000_000 };

const statement = (inputCount: number, value: number): Uint8Array =>
  new Uint8Array(256 + 32 * inputCount).fill(value);

function published(slots: BatchSlots, values: readonly number[], inputCount = 4, key = KEY): Slot {
  const slot = slots.acquireForProofs(key, inputCount, false) as Slot;
  for (const [index, value] of values.entries()) slot.putProof(index, statement(inputCount, value));
  slot.publish(values.length);
  return slot;
}

function publishedCalls(slots: BatchSlots, operation: CallOperation, items: readonly Uint8Array[]): Slot {
  const slot = slots.acquireForCalls(operation) as Slot;
  for (const [index, item] of items.entries()) slot.putCall(index, item);
  slot.publish(items.length);
  return slot;
}

/** Slots for batches of up to 8, and the worker that takes them. */
function setUp(): { readonly slots: BatchSlots; readonly worker: WorkerSlots } {
  const slots = new BatchSlots(1, 8);
  return { slots, worker: new WorkerSlots(slots.setup, 9) };
}

const takeProofs = (worker: WorkerSlots): TakenProofs => worker.take('calls') as TakenProofs;
const takeCalls = (worker: WorkerSlots): TakenCalls => worker.take('calls') as TakenCalls;
const valuesOf = ({ statements, count }: TakenProofs): number[] =>
  Array.from({ length: count }, (_, index) => statements[(index * statements.length) / count] as number);
const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('the batch slots', () => {
  it('carry proofs to a worker and the verdicts back', () => {
    const slots = new BatchSlots(2, 64);
    const slot = published(slots, [1, 2, 3]);
    const worker = new WorkerSlots(slots.setup, 9);
    const taken = takeProofs(worker);
    expect(taken).toMatchObject({ operation: 'verify', count: 3, keyId: 3, key: 4_000_000_000 });
    expect(taken.statements).toEqual(
      new Uint8Array(Buffer.concat([statement(4, 1), statement(4, 2), statement(4, 3)])),
    );
    expect([slot.state, slot.holder]).toEqual(['taken', 9]);
    worker.answerProofs(taken, Uint8Array.of(1, 2, 7), 1.5);
    expect([slot.state, slot.holder, slot.runMs]).toEqual(['done', undefined, 1.5]);
    expect([0, 1, 2].map((index) => slot.verdictByte(index))).toEqual([1, 2, 7]);
  });

  it('carry the bytes of a key, which each worker prepares itself', () => {
    const slots = new BatchSlots(1, 8);
    published(slots, [1], 4, { id: 8, source: filled(768, 5) });
    const taken = takeProofs(new WorkerSlots(slots.setup, 9));
    expect(taken).toMatchObject({ keyId: 8, key: filled(768, 5) });
    expect(taken.statements).toEqual(statement(4, 1));
  });

  it('carry for each batch whether its proofs are verified separately', () => {
    const { slots, worker } = setUp();
    for (const separately of [true, false, true]) {
      const slot = slots.acquireForProofs(KEY, 4, separately) as Slot;
      slot.putProof(0, statement(4, 1));
      slot.publish(1);
      expect(takeProofs(worker).separately).toBe(separately);
      slots.release(slot);
    }
  });

  it('are copied on read: later changes of shared memory do not reach the worker', () => {
    const slots = new BatchSlots(1, 8);
    published(slots, [7]);
    const worker = new WorkerSlots(slots.setup, 9);
    const proofs = takeProofs(worker);
    new Uint8Array(slots.setup.buffer).fill(1);
    expect(proofs.statements).toEqual(statement(4, 7));
    const others = new BatchSlots(1, 8);
    publishedCalls(others, { call: 'poseidon' }, [filled(32, 3), filled(64, 4)]);
    const calls = takeCalls(new WorkerSlots(others.setup, 9));
    new Uint8Array(others.setup.buffer).fill(1);
    expect(calls.items).toEqual([filled(32, 3), filled(64, 4)]);
  });

  it('go to one worker each, in the order of publication', () => {
    const slots = new BatchSlots(2, 4);
    const first = published(slots, [1]);
    for (const value of [2, 3]) published(slots, [value]);
    const workers = [5, 6, 7].map((id) => new WorkerSlots(slots.setup, id));
    expect(workers.slice(0, 2).map((worker) => valuesOf(takeProofs(worker)))).toEqual([[1], [2]]);
    slots.release(first);
    // the slot of the first batch is free again, and is served after those published earlier
    published(slots, [4]);
    const taken = workers.map((worker) => worker.take('calls') as TakenProofs | undefined);
    expect(taken.map((one) => one && valuesOf(one))).toEqual([[3], [4], undefined]);
  });

  it('let proofs join a batch only until a worker takes it', () => {
    const slots = new BatchSlots(1, 8);
    const slot = published(slots, [1, 2]);
    slot.putProof(2, statement(4, 3));
    expect(slot.extend(2, 3)).toBe(true);
    expect(valuesOf(takeProofs(new WorkerSlots(slots.setup, 9)))).toEqual([1, 2, 3]);
    slot.putProof(3, statement(4, 4));
    expect([slot.extend(3, 4), slot.withdraw(3), slot.state]).toEqual([false, false, 'taken']);
  });

  it('can be withdrawn until a worker takes them', () => {
    const slots = new BatchSlots(1, 8);
    const slot = published(slots, [1, 2]);
    expect([slot.withdraw(1), slot.withdraw(2)]).toEqual([false, true]);
    expect(new WorkerSlots(slots.setup, 9).take('calls')).toBeUndefined();
  });

  it('drop a late verdict or result once the slot serves another batch', () => {
    const { slots, worker } = setUp();
    const slot = published(slots, [1]);
    const late = takeProofs(worker);
    slots.release(slot);
    const again = published(slots, [2]);
    expect(again).toBe(slot);
    worker.answerProofs(late, Uint8Array.of(1), 1);
    expect(again.verdictByte(0)).toBe(0);
    slots.release(again);
    const calls = publishedCalls(slots, { call: 'poseidon' }, [filled(32, 1)]);
    const lateCalls = takeCalls(worker);
    slots.release(calls);
    expect(publishedCalls(slots, { call: 'poseidon' }, [filled(32, 2)])).toBe(calls);
    worker.answerCalls(lateCalls, [{ ok: true, bytes: filled(32, 9) }], 1);
    expect(calls.callResults(1)).toEqual([undefined]);
  });

  it('hold no verdict before a worker writes one', () => {
    const slots = new BatchSlots(1, 8);
    const slot = published(slots, [1, 2]);
    expect([0, 1].map((index) => slot.verdictByte(index))).toEqual([0, 0]);
  });

  it('refuse a number of answers that differs from the number of items', () => {
    const { slots, worker } = setUp();
    const slot = published(slots, [1]);
    const taken = takeProofs(worker);
    expect(() => worker.answerProofs(taken, Uint8Array.of(1, 1), 1)).toThrow('1 proofs got 2 verdicts');
    expect([slot.state, slot.verdictByte(0)]).toEqual(['taken', 0]);
    const calls = publishedCalls(slots, { call: 'poseidon' }, [filled(32, 1), filled(32, 2)]);
    const takenCalls = takeCalls(worker);
    expect(() => worker.answerCalls(takenCalls, [], 1)).toThrow('2 calls got 0 results');
    expect(calls.state).toBe('taken');
  });

  it('carry the text of a fault, without verdicts', () => {
    const { slots, worker } = setUp();
    const slot = published(slots, [1, 2]);
    worker.fail(worker.take('calls') as TakenBatch, `unreachable at ${'x'.repeat(1000)}`);
    expect([slot.state, slot.fault.slice(0, 15), slot.fault.length]).toEqual([
      'faulty',
      'unreachable at ',
      256,
    ]);
    expect(slot.verdictByte(0)).toBe(0);
  });

  it('have room for a full batch with usual keys, and for at least one proof with the largest key', () => {
    for (const maxBatch of [1, 8, 64, 4096]) {
      const slots = new BatchSlots(1, maxBatch);
      expect(slots.roomFor(4)).toBe(maxBatch);
      const most = slots.roomFor(1024);
      expect(most).toBeGreaterThan(0);
      const values = Array.from({ length: most }, (_, index) => index % 200);
      const both = [published(slots, values, 1024), published(slots, [201], 1024)];
      const worker = new WorkerSlots(slots.setup, 9);
      expect(valuesOf(takeProofs(worker))).toEqual(values);
      expect(valuesOf(takeProofs(worker))).toEqual([201]);
      expect(both.map(({ state }) => state)).toEqual(['taken', 'taken']);
    }
  });

  it('cannot be acquired when all are in use', () => {
    const slots = new BatchSlots(1, 8);
    const all = Array.from({ length: slots.setup.slots }, () => published(slots, [1]));
    expect([slots.acquireForProofs(KEY, 4, false), slots.acquireForCalls({ call: 'poseidon' })]).toEqual([
      undefined,
      undefined,
    ]);
    slots.release(all[1] as Slot);
    expect(slots.acquireForProofs(KEY, 4, false)).toBe(all[1]);
  });

  it('let only one worker notify the main thread until it looks', () => {
    const slots = new BatchSlots(2, 8);
    const workers = [5, 6].map((id) => new WorkerSlots(slots.setup, id));
    slots.expectNotice();
    expect(workers.map((worker) => worker.needsNotice())).toEqual([true, false]);
    slots.expectNotice();
    expect(workers.map((worker) => worker.needsNotice())).toEqual([true, false]);
  });

  it('let a worker sleep only when nothing was announced since its last look', () => {
    const { slots, worker } = setUp();
    const { announced } = worker;
    expect(worker.wait(announced, 1)).toBe(false);
    slots.announce(1);
    expect(worker.wait(announced, 60_000)).toBe(true);
  });
});

describe('calls in batch slots', () => {
  it('carry their bytes, of any lengths, and each result back', () => {
    const slots = new BatchSlots(1, 8);
    const items = [filled(32, 1), filled(0, 0), filled(100, 3)];
    const slot = publishedCalls(slots, { call: 'hashBytes', tag: 'a tag, ü' }, items);
    const worker = new WorkerSlots(slots.setup, 9);
    const taken = takeCalls(worker);
    expect(taken).toMatchObject({ operation: 'hashBytes', count: 3, keyId: 0, tag: 'a tag, ü', items });
    const results: CallResult[] = [
      { ok: true, bytes: filled(96, 7) },
      { ok: false, code: 'input.range', detail: 'element 0: not below r' },
      { ok: true, bytes: filled(0, 0) },
    ];
    worker.answerCalls(taken, results, 2);
    expect([slot.state, slot.runMs, slot.callResults(3)]).toEqual(['done', 2, results]);
  });

  it.each([
    [{ call: 'poseidon2', width: 3 }, 3],
    [{ call: 'oneLeafRoot', depth: 30 }, 30],
    [{ call: 'sign', key: { id: 5, source: 77 } }, 0],
  ] as const)('carry their common parameters: %o', (operation, parameter) => {
    const slots = new BatchSlots(1, 8);
    publishedCalls(slots, operation, [filled(96, 1)]);
    const taken = takeCalls(new WorkerSlots(slots.setup, 9));
    expect(taken).toMatchObject({ operation: operation.call, parameter });
    if ('key' in operation) expect(taken).toMatchObject({ keyId: 5, key: 77 });
  });

  it('wipe a seed when the slot is released', () => {
    const slots = new BatchSlots(1, 8);
    const seed = filled(32, 0xa5);
    const finds = (): boolean => Buffer.from(slots.setup.buffer).includes(Buffer.from(seed));
    for (const call of ['sign', 'publicKey'] as const) {
      const slot = publishedCalls(slots, { call, key: { id: 2, source: seed } }, [filled(32, 1)]);
      const taken = takeCalls(new WorkerSlots(slots.setup, 9));
      expect([taken.key, finds()]).toEqual([seed, true]);
      slots.release(slot);
      expect(finds()).toBe(false);
    }
  });

  it('truncate the text of a refusal, and fail as a whole when the results do not fit', () => {
    const slots = new BatchSlots(1, 2);
    const slot = publishedCalls(slots, { call: 'poseidon' }, [filled(32, 1)]);
    const worker = new WorkerSlots(slots.setup, 9);
    const taken = takeCalls(worker);
    const tooLong = [{ ok: true, bytes: new Uint8Array(2 ** 21) }] as const;
    expect(() => worker.answerCalls(taken, tooLong, 1)).toThrow('the results have 2097152 bytes');
    expect(slot.state).toBe('taken');
    worker.answerCalls(taken, [{ ok: false, code: 'input.range', detail: 'x'.repeat(1000) }], 1);
    const [refused] = slot.callResults(1);
    expect(refused).toEqual({ ok: false, code: 'input.range', detail: 'x'.repeat(256 - 13) });
  });

  it('alternate with proofs on a worker that prefers the other kind after each batch', () => {
    const slots = new BatchSlots(1, 8);
    const values = [1, 2];
    for (const value of values) published(slots, [value]);
    for (const value of values) publishedCalls(slots, { call: 'poseidon' }, [filled(32, value)]);
    const worker = new WorkerSlots(slots.setup, 9);
    const order = (['calls', 'proofs', 'calls', 'calls'] as const).map((preferred) => {
      const taken = worker.take(preferred) as TakenBatch;
      return taken.operation === 'verify' ? valuesOf(taken)[0] : `call ${taken.items[0]?.[0]}`;
    });
    expect([...order, worker.take('calls')]).toEqual(['call 1', 1, 'call 2', 2, undefined]);
  });
});
