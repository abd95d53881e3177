import { describe, expect, it } from 'vitest';
import type { CryptoFunctions } from '../../../src/engine/backends/backend.ts';
import { findNative, loadBackend } from '../../../src/engine/backends/load-backend.ts';
import type { CallOperation, CallResult } from '../../../src/engine/operation.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import type { Slot } from '../../../src/engine/slots/slot.ts';
import { type TakenBatch, WorkerSlots } from '../../../src/engine/slots/worker-slots.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import { R } from '../../support/crypto/bn254.ts';
import { word } from '../support/vectors.ts';

const found = findNative();
const numbered = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => word(String(index + 1)));
const pairs = (count: number): Uint8Array[] =>
  numbered(count).map((one) => new Uint8Array(Buffer.concat([one, one])));

interface Calls extends CallOperation {
  readonly items: readonly Uint8Array[];
}

/** Performs a batch of calls through a slot. Returns the slot. */
function performed(performer: Performer, { items, ...operation }: Calls): Slot {
  const slots = new BatchSlots(1, 64);
  const slot = slots.acquireForCalls(operation) as Slot;
  for (const [index, item] of items.entries()) slot.putCall(index, item);
  slot.publish(items.length);
  const worker = new WorkerSlots(slots.setup, 1);
  performer.perform(worker.take('calls') as TakenBatch, worker);
  return slot;
}

describe.skipIf('reason' in found)('a batch of calls', async () => {
  if ('reason' in found) return;
  const backend = loadBackend(found);
  const names: string[] = [];
  // records which functions of the core are called
  const functions = new Proxy(backend.functions, {
    get(target, name: keyof CryptoFunctions) {
      const real = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        names.push(name);
        return real.apply(target, args);
      };
    },
  });
  const performer = new Performer({ kind: 'native', functions, instance: 0, renew: () => Promise.resolve() });
  const seed = new Uint8Array(32).fill(9);

  const perform = (calls: Calls): readonly (CallResult | undefined)[] => {
    names.length = 0;
    const slot = performed(performer, calls);
    expect(slot.state).toBe('done');
    return slot.callResults(calls.items.length);
  };
  /** Results of the items, each performed in a batch of one. */
  const alone = (calls: Calls): (CallResult | undefined)[] =>
    calls.items.flatMap((item) => perform({ ...calls, items: [item] }));

  it.each([
    ['poseidon2', { call: 'poseidon2', width: 2, items: pairs(19) }, ['poseidon2']],
    ['poseidon of one element', { call: 'poseidon', items: numbered(19) }, ['poseidonMany']],
    ['poseidon of two elements', { call: 'poseidon', items: pairs(19) }, ['poseidonMany']],
    [
      'oneLeafRoot',
      { call: 'oneLeafRoot', depth: 3, items: numbered(19) },
      ['poseidonMany', 'poseidonMany', 'poseidonMany'],
    ],
    ['sign', { call: 'sign', key: { id: 1, source: seed }, items: numbered(19) }, ['sign']],
  ] as const)(
    'of %s needs the expected calls into the core, and has the same results as single calls',
    (_, calls, functionsCalled) => {
      const expected = alone(calls);
      expect(expected.every((result) => result?.ok)).toBe(true);
      expect(perform(calls)).toEqual(expected);
      expect(names).toEqual(functionsCalled);
    },
  );

  it('answers the other calls when the core refuses one', () => {
    const items = numbered(5).with(3, word(String(R)));
    const results = perform({ call: 'poseidon', items });
    expect(results.map((result) => result?.ok)).toEqual([true, true, true, false, true]);
    expect(results[3]).toMatchObject({ code: 'input.range', detail: expect.stringContaining('element 0') });
    expect(results).toEqual(alone({ call: 'poseidon', items }));
  });

  it('performs items of different lengths one by one', () => {
    const items = [...numbered(2), ...pairs(2), new Uint8Array(31), new Uint8Array(0)];
    const results = perform({ call: 'poseidon', items });
    expect(names).toEqual(Array(6).fill('poseidon'));
    expect(results.map((result) => result?.ok)).toEqual([true, true, true, true, false, false]);
    const empty = perform({ call: 'poseidon', items: [new Uint8Array(0), new Uint8Array(0)] });
    expect(empty.map((result) => result?.ok)).toEqual([false, false]);
  });

  it('refuses items of partial elements, like single calls', () => {
    const items = [new Uint8Array(48), new Uint8Array(48)];
    const results = perform({ call: 'poseidon', items });
    expect(results.map((result) => result?.ok)).toEqual([false, false]);
    expect(results).toEqual(alone({ call: 'poseidon', items }));
  });

  it('ends in a fault when the core throws', () => {
    const broken = {
      ...backend.functions,
      poseidonMany: () => {
        throw new Error('trapped');
      },
    };
    const faulty = new Performer({
      kind: 'native',
      functions: broken,
      instance: 0,
      renew: () => Promise.resolve(),
    });
    const slot = performed(faulty, { call: 'poseidon', items: numbered(2) });
    expect([slot.state, slot.fault]).toEqual(['faulty', 'trapped']);
  });
});
