// Rules: spec/engine.md#slots
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/engine/backends/backend.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import type { Slot } from '../../../src/engine/slots/slot.ts';
import { WorkerSlots } from '../../../src/engine/slots/worker-slots.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import { serveSlots } from '../../../src/engine/worker/task-handler.ts';
import { numberOf, statementOf } from '../support/proof-bench.ts';

const KEY = { id: 1, source: 7 };
const VALID_BYTE = 1;

class Bench {
  readonly slots = new BatchSlots(1, 4);
  /** Number of the first proof of each batch, and first byte of each call, in the order of execution. */
  readonly seen: number[] = [];
  readonly notices: string[] = [];
  readonly seeds: Uint8Array[] = [];
  renewals = 0;
  /** Called with the number of the first proof of each batch. */
  onBatch: (value: number) => void = () => undefined;
  readonly #performer: Performer;

  constructor() {
    const backend = {
      kind: 'native',
      instance: 0,
      functions: {
        verifyBatch: (_handle: number, statements: Uint8Array, seed: Uint8Array) => {
          const value = numberOf(statements);
          this.seen.push(value);
          this.seeds.push(seed.slice());
          this.onBatch(value);
          return new Uint8Array(statements.length / 256).fill(VALID_BYTE);
        },
        verifyEach: (_handle: number, statements: Uint8Array) => {
          this.seen.push(numberOf(statements));
          return new Uint8Array(statements.length / 256).fill(VALID_BYTE);
        },
        hashBytes: (_tag: string, item: Uint8Array) => {
          this.seen.push(item[0] as number);
          return item;
        },
      },
      renew: async () => {
        await Promise.resolve();
        this.renewals += 1;
      },
    };
    this.#performer = new Performer(backend as unknown as Backend);
  }

  publish(value: number, separately = false): Slot {
    const slot = this.slots.acquireForProofs(KEY, 0, separately) as Slot;
    slot.putProof(0, statementOf(value));
    slot.publish(1);
    this.slots.announce(1);
    return slot;
  }

  publishCall(value: number): Slot {
    const slot = this.slots.acquireForCalls({ call: 'hashBytes', tag: 'tag' }) as Slot;
    slot.putCall(0, Uint8Array.of(value));
    slot.publish(1);
    return slot;
  }

  serve(lingerMs = 0, beforePoll: () => Promise<void> | undefined = () => undefined): Promise<void> {
    return serveSlots(new WorkerSlots(this.slots.setup, 9), this.#performer, {
      lingerMs,
      beforePoll,
      notify: () => this.notices.push('notice'),
    });
  }
}

describe('a worker that serves the slots', () => {
  it('serves ready slots, notifies the main thread once until it looks, and returns', async () => {
    const bench = new Bench();
    const slots = [1, 2, 3].map((value) => bench.publish(value));
    await bench.serve();
    expect([bench.seen, bench.notices]).toEqual([[1, 2, 3], ['notice']]);
    expect(slots.map((slot) => [slot.state, slot.verdictByte(0)])).toEqual(
      slots.map(() => ['done', VALID_BYTE]),
    );
  });

  it('serves slots that are published while it works, without returning', async () => {
    const bench = new Bench();
    bench.publish(1);
    bench.onBatch = (value) => {
      if (value < 5) bench.publish(value + 1);
    };
    await bench.serve();
    expect(bench.seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('serves calls between batches of proofs', async () => {
    const bench = new Bench();
    bench.publish(1);
    bench.onBatch = (value) => {
      if (value === 1) {
        bench.publish(2);
        bench.publishCall(50);
      }
    };
    await bench.serve();
    expect(bench.seen).toEqual([1, 50, 2]);
  });

  it('draws a seed for each combined batch, and does not combine a batch marked as separate', async () => {
    const bench = new Bench();
    for (const [index, separately] of [false, true, false].entries()) bench.publish(index, separately);
    await bench.serve();
    expect(bench.seen).toEqual([0, 1, 2]);
    const [first, second] = bench.seeds;
    expect(bench.seeds.map(({ length }) => length)).toEqual([32, 32]);
    expect(first).not.toEqual(second);
  });

  it('continues after a fault with a renewed backend', async () => {
    const bench = new Bench();
    const slots = [1, 2].map((value) => bench.publish(value));
    bench.onBatch = (value) => {
      if (value === 1) throw new Error('unreachable');
    };
    await bench.serve();
    expect(slots.map(({ state }) => state)).toEqual(['faulty', 'done']);
    expect([slots[0]?.fault, bench.renewals]).toEqual(['unreachable', 1]);
  });

  it('renews the backend before the next look, also when each look is asynchronous', async () => {
    const bench = new Bench();
    const slots = [1, 2].map((value) => bench.publish(value));
    bench.onBatch = (value) => {
      if (value === 1) throw new Error('unreachable');
    };
    await bench.serve(0, () => Promise.resolve());
    expect([slots.map(({ state }) => state), bench.renewals]).toEqual([['faulty', 'done'], 1]);
  });
});
