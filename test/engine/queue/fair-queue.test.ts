import { describe, expect, it } from 'vitest';
import type { KeyOfProofs } from '../../../src/engine/dispatch/proof-lane.ts';
import type { VerifyOptions } from '../../../src/engine/engine.ts';
import {
  type Moment,
  type ProofBatch,
  ProofQueue,
  type QueueLimits,
} from '../../../src/engine/queue/fair-queue.ts';
import { Answers, from, numberOf, plainKey, rowOf } from '../support/proof-bench.ts';

const limits: QueueLimits = { maxQueue: 100, maxBatch: 4, maxBatchDelayMs: 0 };
const at = (changes: Partial<Moment> = {}): Moment => ({
  ...{ nowMs: 0, threads: 1, idle: 1, isDraining: false },
  ...changes,
});

class Bench {
  readonly queue: ProofQueue;
  readonly answers = new Answers();
  #value = 0;

  constructor(changes: Partial<QueueLimits> = {}) {
    this.queue = new ProofQueue({ ...limits, ...changes });
  }

  /** Adds proofs with the next numbers; gives these. */
  add(key: KeyOfProofs, count: number, options: VerifyOptions = {}, queuedAtMs = 0): number[] {
    return Array.from({ length: count }, () => {
      this.#value += 1;
      const value = this.#value;
      const lane = this.queue.laneOf(key, options.source, queuedAtMs);
      const { source, signal } = options;
      const waiting = { lane, queuedAtMs, row: rowOf(value), source, signal };
      this.queue.add({ ...waiting, receiver: this.answers, index: value });
      return value;
    });
  }

  /** Key and numbers of the batch that is next in turn. */
  take(moment: Partial<Moment> = {}): string | undefined {
    const batch = this.queue.take(at(moment));
    return batch && describeBatch(batch);
  }

  /** All batches that are due, each of which ends at once and takes as long as told. */
  takeAll(moment: Partial<Moment> = {}, runMs = 1): string[] {
    const taken: string[] = [];
    const { nowMs } = at(moment);
    for (let batch = this.queue.take(at(moment)); batch; batch = this.queue.take(at(moment))) {
      taken.push(describeBatch(batch));
      const { lane, items, expectedMs } = batch;
      lane.group.share?.ranBatch(items.length, expectedMs, runMs, nowMs);
      this.queue.left(lane, items.length, nowMs);
    }
    return taken;
  }
}

function describeBatch({ lane, items }: ProofBatch): string {
  const { app } = items[0]?.source ?? {};
  const who = lane.group.suspect ? ` of ${lane.group.suspect.address} ${lane.group.suspect.app ?? app}` : '';
  return `${lane.key.keyId}${who}: ${items.map(({ row }) => numberOf(row)).join(' ')}`;
}

const [a, b, c] = ['a', 'b', 'c'].map((name) => plainKey(name, 4)) as [KeyOfProofs, KeyOfProofs, KeyOfProofs];

describe('the queue of the engine', () => {
  it('gives an idle thread all that waits for one key, up to maxBatch, oldest first', () => {
    const bench = new Bench();
    bench.add(a, 6);
    expect([bench.take(), bench.queue.depth]).toEqual(['a: 1 2 3 4', 2]);
    expect([bench.take(), bench.take()]).toEqual(['a: 5 6', undefined]);
  });

  it('shares what waits among idle threads', () => {
    const bench = new Bench();
    bench.add(plainKey('a'), 5);
    expect([bench.take({ idle: 3 }), bench.take({ idle: 2 }), bench.take({ idle: 1 })]).toEqual([
      'a: 1 2',
      'a: 3 4',
      'a: 5',
    ]);
  });

  it('lets keys take turns, however many proofs one of them has', () => {
    const bench = new Bench();
    bench.add(a, 20);
    bench.add(b, 1);
    bench.add(c, 5);
    const order = Array.from({ length: 6 }, () => bench.take()?.slice(0, 4));
    expect(order).toEqual(['a: 1', 'b: 2', 'c: 2', 'a: 5', 'c: 2', 'a: 9']);
  });

  it('serves each of three hundred keys once before one of them has a second turn', () => {
    const bench = new Bench({ maxQueue: 100_000 });
    const keys = Array.from({ length: 300 }, (_, index) => plainKey(`key ${index}`, 4));
    for (const key of keys) bench.add(key, key === keys[7] ? 1000 : 5);
    const turn = (): string[] => Array.from({ length: 300 }, () => bench.take()?.split(':')[0] ?? 'none');
    expect(turn()).toEqual(keys.map(({ keyId }) => keyId));
    expect(turn()).toEqual(keys.map(({ keyId }) => keyId));
    expect(bench.take()?.split(':')[0]).toBe('key 7');
  });

  it('is bounded over all keys', () => {
    const bench = new Bench({ maxQueue: 5 });
    bench.add(a, 2);
    bench.add(b, 2);
    const has = (count: number, others = 0): boolean => bench.queue.hasRoomFor(count, others, undefined, 0);
    expect([has(1), has(2), has(1, 1)]).toEqual([true, false, false]);
    bench.take();
    expect([has(3), has(4)]).toEqual([true, false]);
  });

  it('lets proofs join a batch that has room, and no more than that', () => {
    const bench = new Bench();
    bench.add(a, 1);
    const batch = bench.queue.take(at()) as ProofBatch;
    bench.add(a, 3);
    const more = (room: number): number[] =>
      bench.queue.takeMore(batch.lane, room, 0).map(({ row }) => numberOf(row));
    expect([more(2), more(2), more(2), bench.take()]).toEqual([[2, 3], [4], [], undefined]);
  });

  it('with a delay, holds an incomplete batch until its oldest proof has waited that long', () => {
    const bench = new Bench({ maxBatchDelayMs: 10 });
    bench.add(a, 2, {}, 1000);
    bench.add(b, 1, {}, 1005);
    const ripe = (nowMs: number): number => bench.queue.nextRipeAtMs(at({ nowMs }));
    expect([bench.take({ nowMs: 1009 }), ripe(1009)]).toEqual([undefined, 1010]);
    expect([bench.take({ nowMs: 1010 }), ripe(1010)]).toEqual(['a: 1 2', 1015]);
    bench.add(c, 4, {}, 1012);
    expect(bench.take({ nowMs: 1012 })).toBe('c: 4 5 6 7');
    expect(bench.take({ nowMs: 1012, isDraining: true })).toBe('b: 3');
    expect(ripe(1012)).toBe(Number.POSITIVE_INFINITY);
  });

  it('hands everything over at once for refusal', () => {
    const bench = new Bench();
    bench.add(a, 6);
    bench.add(b, 1);
    expect(bench.queue.takeAll().map(({ row }) => numberOf(row))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect([bench.queue.depth, bench.take()]).toEqual([0, undefined]);
  });
});

describe('proofs that nobody waits for any more', () => {
  it('are dropped when their turn comes, and take no place of a batch', () => {
    const bench = new Bench();
    const controller = new AbortController();
    bench.add(a, 1);
    bench.add(a, 3, { signal: controller.signal });
    bench.add(a, 3);
    controller.abort();
    expect(bench.take()).toBe('a: 1 5 6 7');
    expect([...bench.answers]).toEqual([2, 3, 4].map((value) => [value, 'engine.cancelled']));
    expect(bench.queue.depth).toBe(0);
  });

  it('give their room back when the queue is full', () => {
    const bench = new Bench({ maxQueue: 8 });
    const controller = new AbortController();
    bench.add(a, 2);
    bench.add(b, 5, { signal: controller.signal });
    bench.add(c, 1);
    controller.abort();
    expect(bench.queue.hasRoomFor(5, 0, undefined, 1)).toBe(true);
    expect([bench.queue.depth, bench.answers.size]).toEqual([3, 5]);
    expect([bench.take(), bench.take(), bench.take()]).toEqual(['a: 1 2', 'c: 8', undefined]);
  });
});

describe('proofs of a source that sent bad ones', () => {
  it('are batched apart from all others, also those that were waiting already', () => {
    const bench = new Bench();
    bench.add(a, 1);
    bench.add(a, 2, from('bad'));
    bench.add(a, 1, from('good'));
    bench.queue.sources.failed({ address: 'bad', app: 'app' }, 0);
    bench.add(a, 1, from('bad'));
    bench.add(a, 1, from('good'));
    expect(bench.takeAll().sort()).toEqual(['a of bad app: 5 2 3', 'a: 1 4 6'].sort());
  });

  it('are apart from those of other suspects, too, and of their own other keys', () => {
    const bench = new Bench();
    for (const address of ['bad', 'worse']) bench.queue.sources.failed({ address, app: 'app' }, 0);
    bench.add(a, 1, from('bad'));
    bench.add(a, 1, from('worse'));
    bench.add(b, 1, from('bad'));
    bench.add(a, 1, from('bad', 'other app'));
    expect([...bench.takeAll(), ...bench.takeAll({ nowMs: 100 })].sort()).toEqual(
      ['a of bad app: 1', 'a of worse app: 2', 'b of bad app: 3', 'a: 4'].sort(),
    );
  });

  it('go with the others again when the source is forgiven', () => {
    const bench = new Bench();
    bench.queue.sources.failed({ address: 'bad', app: 'app' }, 0);
    bench.add(a, 1, from('bad'), 59_999);
    bench.add(a, 1, from('bad'), 60_000);
    bench.add(a, 1, {}, 60_000);
    expect(bench.takeAll({ nowMs: 60_000 }).sort()).toEqual(['a of bad app: 1', 'a: 2 3'].sort());
  });

  it('may fill a part of the queue only, while others find room', () => {
    const bench = new Bench({ maxQueue: 400 });
    bench.queue.sources.failed({ address: 'bad', app: 'app' }, 0);
    const has = (count: number, address: string): boolean =>
      bench.queue.hasRoomFor(count, 0, { address, app: 'app' }, 0);
    expect([has(100, 'bad'), has(101, 'bad'), has(400, 'good')]).toEqual([true, false, true]);
    bench.add(a, 90, from('bad'));
    expect([has(10, 'bad'), has(11, 'bad'), has(310, 'good')]).toEqual([true, false, true]);
  });

  it('may fill a third of the queue with those of all other suspects', () => {
    const bench = new Bench({ maxQueue: 600 });
    const suspects = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '233.252.0.1'];
    for (const address of suspects) bench.queue.sources.failed({ address, app: 'app' }, 0);
    const room = (address: string): boolean => bench.queue.hasRoomFor(100, 0, { address, app: 'app' }, 0);
    const filled = suspects.map((address) => {
      const hasRoom = room(address);
      if (hasRoom) bench.add(a, 100, from(address));
      return hasRoom;
    });
    expect(filled).toEqual([true, true, false, false]);
    bench.queue.takeAll();
    expect(room('233.252.0.1')).toBe(true);
  });

  it('are those of their network once three of its addresses sent bad ones', () => {
    const bench = new Bench();
    for (const host of [1, 2]) bench.queue.sources.failed({ address: `192.0.2.${host}`, app: 'app' }, 0);
    bench.add(a, 1, from('192.0.2.200'));
    expect(bench.takeAll()).toEqual(['a: 1']);
    bench.queue.sources.failed({ address: '192.0.2.3', app: 'app' }, 0);
    bench.add(a, 1, from('192.0.2.200'));
    bench.add(a, 1, from('192.0.3.200'));
    expect(bench.takeAll().sort()).toEqual(['a of 192.0.2.0/24 app: 2', 'a: 3']);
  });

  it('wait, when their source has had its share, and the others go on', () => {
    const bench = new Bench({ maxQueue: 1000 });
    const key = plainKey('a');
    bench.queue.sources.failed({ address: 'bad', app: 'app' }, 0);
    bench.add(key, 60, from('bad'));
    for (let round = 0; round < 40; round += 1) bench.add(key, 30, from(`good ${round}`, `app ${round}`));
    // a batch of bad proofs takes ten times what one of good ones takes
    const first = [bench.queue.take(at()), bench.queue.take(at())].map((batch) => batch as ProofBatch);
    const suspect = first.find(({ lane }) => lane.group.suspect) as ProofBatch;
    expect(suspect.items).toHaveLength(16);
    suspect.lane.group.share?.ranBatch(16, suspect.expectedMs, 20, 20);
    bench.queue.left(suspect.lane, 16, 20);
    const next = Array.from({ length: 5 }, () => bench.queue.take(at({ nowMs: 21 })) as ProofBatch);
    expect(next.map(({ lane }) => lane.group.suspect)).toEqual(next.map(() => undefined));
    const due = bench.queue.nextRipeAtMs(at({ nowMs: 21 }));
    expect(due).toBeLessThanOrEqual(21);
    expect(bench.queue.take(at({ nowMs: 500 }))?.lane.group.suspect).toBeDefined();
  });
});

describe('while some source is suspect', () => {
  const alert = (changes: Partial<QueueLimits> = {}): Bench => {
    const bench = new Bench({ maxQueue: 3000, ...changes });
    bench.queue.sources.failed({ address: '203.0.113.1', app: 'bad' }, 0);
    return bench;
  };
  const sizes = (batches: readonly string[]): number[] =>
    batches.map((batch) => batch.slice(batch.indexOf(':') + 2).split(' ').length);

  it('a network puts 32 proofs into the batch of all others, and more into shorter ones', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    for (let host = 1; host <= 20; host += 1) bench.add(key, 10, from(`192.0.2.${host}`, `app ${host}`));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([33, 64, 64, 40]);
  });

  it('an app puts 128 proofs into the batch of all others', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    for (let network = 0; network < 20; network += 1) bench.add(key, 10, from(`10.0.${network}.1`));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([129, 64, 8]);
  });

  it('a proof that comes alone is in the next batch, however many of others came before', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 64, from('192.0.2.1'));
    bench.add(key, 64, from('192.0.3.1'));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(bench.take()?.endsWith(' 129')).toBe(true);
  });

  it('an app has room in the batches of all others again once its proofs have left the queue in another way', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 1, from('10.0.0.1'));
    const open = bench.queue.take(at()) as ProofBatch;
    for (let network = 0; network < 4; network += 1) bench.add(key, 32, from(`10.0.${network}.1`));
    expect(bench.queue.takeMore(open.lane, 255, 0)).toHaveLength(128);
    expect(bench.take()).toBeUndefined();
    bench.add(key, 32, from('10.0.1.1'));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([33]);
  });

  it('a request that does not fit into the third for proofs beyond that is refused as a whole', () => {
    const bench = alert({ maxQueue: 300 });
    bench.add(a, 32 + 90, from('192.0.2.1'));
    const has = (count: number): boolean =>
      bench.queue.hasRoomFor(count, 0, { address: '192.0.2.2', app: 'app' }, 0);
    expect([has(10), has(11)]).toEqual([true, false]);
  });

  it('a third of the queue is for proofs beyond that, and the rest for others', () => {
    const bench = alert({ maxQueue: 300 });
    const has = (count: number, address: string): boolean =>
      bench.queue.hasRoomFor(count, 0, { address, app: 'app' }, 0);
    expect(has(64, '192.0.2.1')).toBe(true);
    bench.add(a, 140, from('192.0.2.1'));
    expect([
      has(64, '192.0.2.2'),
      has(1, '192.0.2.2'),
      has(64, '198.51.100.1'),
      has(20, '198.51.100.1'),
    ]).toEqual([false, false, false, true]);
  });

  it('nothing is held apart a minute after the last bad proof', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 200, from('192.0.2.1'), 60_000);
    expect(sizes(bench.takeAll({ nowMs: 60_000 }))).toEqual([200]);
  });
});
