import { describe, expect, it } from 'vitest';
import { WorkQueue } from '../../src/engine/queue.ts';
import { PlainLane } from './support/plain-lane.ts';

const limits = { maxQueue: 100, maxBatch: 4, maxBatchDelayMs: 0 };

function filled(queue: WorkQueue, name: string, count: number, queuedAtMs = 0): PlainLane {
  const lane = new PlainLane(name);
  for (let value = 0; value < count; value += 1) queue.add(lane.item(value, queuedAtMs));
  return lane;
}

const taken = (queue: WorkQueue, idle: number, nowMs = 0, isDraining = false): string | undefined => {
  const batch = queue.take(idle, nowMs, isDraining);
  return batch && `${batch.lane.name} ${batch.items.length}`;
};

describe('the queue of the engine', () => {
  it('gives an idle worker all that waits for one key, up to maxBatch, oldest first', () => {
    const queue = new WorkQueue(limits);
    const lane = filled(queue, 'a', 6);
    const [first] = lane.waiting;
    const batch = queue.take(1, 0, false);
    expect(batch?.items).toHaveLength(4);
    expect(batch?.items[0]).toBe(first);
    expect([queue.depth, taken(queue, 1), taken(queue, 1)]).toEqual([2, 'a 2', undefined]);
  });

  it('shares what waits among idle workers', () => {
    const queue = new WorkQueue({ ...limits, maxBatch: 64 });
    filled(queue, 'a', 5);
    expect([taken(queue, 3), taken(queue, 2), taken(queue, 1)]).toEqual(['a 2', 'a 2', 'a 1']);
  });

  it('lets keys take turns, however many proofs one of them has', () => {
    const queue = new WorkQueue(limits);
    filled(queue, 'busy', 20);
    filled(queue, 'quiet', 1);
    filled(queue, 'other', 5);
    const order = Array.from({ length: 6 }, () => taken(queue, 1));
    expect(order).toEqual(['busy 4', 'quiet 1', 'other 4', 'busy 4', 'other 1', 'busy 4']);
  });

  it('is bounded over all keys', () => {
    const queue = new WorkQueue({ ...limits, maxQueue: 5 });
    filled(queue, 'a', 2);
    filled(queue, 'b', 2);
    expect([queue.hasRoomFor(1), queue.hasRoomFor(2)]).toEqual([true, false]);
    queue.take(1, 0, false);
    expect([queue.hasRoomFor(3), queue.hasRoomFor(4)]).toEqual([true, false]);
  });

  it('gives room back when a waiting item is taken out, and knows when it waits no more', () => {
    const queue = new WorkQueue(limits);
    const lane = new PlainLane('a');
    const items = [0, 1].map((value) => lane.item(value));
    for (const item of items) queue.add(item);
    expect(items.map((item) => queue.remove(item))).toEqual([true, true]);
    expect(items.map((item) => queue.remove(item))).toEqual([false, false]);
    expect([queue.depth, taken(queue, 1)]).toEqual([0, undefined]);
  });

  it('with a delay, holds an incomplete batch until its oldest item has waited that long', () => {
    const queue = new WorkQueue({ ...limits, maxBatchDelayMs: 10 });
    filled(queue, 'a', 2, 1000);
    filled(queue, 'b', 1, 1005);
    expect([taken(queue, 1, 1009), queue.nextRipeAtMs()]).toEqual([undefined, 1010]);
    expect([taken(queue, 1, 1010), queue.nextRipeAtMs()]).toEqual(['a 2', 1015]);
    filled(queue, 'full', 4, 1012);
    expect(taken(queue, 1, 1012)).toBe('full 4');
    expect(taken(queue, 1, 1012, true)).toBe('b 1');
    expect(queue.nextRipeAtMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('hands everything over at once for refusal', () => {
    const queue = new WorkQueue(limits);
    filled(queue, 'a', 6);
    filled(queue, 'b', 1);
    expect(queue.takeAll().map(({ lane, items }) => `${lane.name} ${items.length}`)).toEqual(['a 6', 'b 1']);
    expect([queue.depth, taken(queue, 1)]).toEqual([0, undefined]);
  });
});
