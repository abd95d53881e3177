// Rules: spec/engine.md#order-and-fairness and spec/engine.md#overflow
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FALSE, refusal, VALID } from '../../../src/engine/encoding.ts';
import type { ProofSource, VerifyOptions } from '../../../src/engine/engine.ts';
import type { CallOperation } from '../../../src/engine/operation.ts';
import { type EngineState, FairQueue, type QueueLimits } from '../../../src/engine/queue/fair-queue.ts';
import type { CallBatch, ProofBatch, ProofKey } from '../../../src/engine/queue/work-queues.ts';
import { Answers, from, numberOf, plainKey, statementOf } from '../support/proof-bench.ts';

const limits: QueueLimits = { maxQueue: 100, maxBatch: 4, maxBatchDelayMs: 0 };
const at = (changes: Partial<EngineState> = {}): EngineState => ({
  nowMs: 0,
  threads: 1,
  idle: 1,
  isDraining: false,
  ...changes,
});

class Bench {
  readonly queue: FairQueue;
  readonly answers = new Answers();
  #value = 0;

  constructor(changes: Partial<QueueLimits> = {}) {
    this.queue = new FairQueue({ ...limits, ...changes });
  }

  /** Adds proofs with consecutive numbers. Returns the numbers. */
  add(key: ProofKey, count: number, options: VerifyOptions = {}, queuedAtMs = 0): number[] {
    return Array.from({ length: count }, () => {
      this.#value += 1;
      const value = this.#value;
      this.queue.addProof(key, statementOf(value), options, this.answers, value, queuedAtMs);
      return value;
    });
  }

  /** Records a bad proof of a source. */
  fail(source: ProofSource, nowMs = 0): void {
    this.queue.poisoned({ items: [{ source }] } as ProofBatch, nowMs);
  }

  /** Adds a call whose bytes all equal its number. */
  call(operation: CallOperation, value: number, bytes = 1): void {
    const ignore = (): void => undefined;
    const item = { bytes: new Uint8Array(bytes).fill(value), resolve: ignore, reject: ignore };
    this.queue.addCall(operation, item);
  }

  /** Takes the next batch of calls. Returns its operation and numbers. */
  takeCalls(maxBytes = 1_000_000): string | undefined {
    const batch = this.queue.takeCalls(maxBytes);
    return batch && `${batch.queue.operation.call}: ${batch.items.map(({ bytes }) => bytes[0]).join(' ')}`;
  }

  /** Takes the next batch of proofs. Returns its key and numbers. */
  take(state: Partial<EngineState> = {}): string | undefined {
    const batch = this.queue.takeProofs(at(state));
    return batch && describeBatch(batch);
  }

  /** Takes all due batches and ends each immediately, with the given run time. */
  takeAll(state: Partial<EngineState> = {}, runMs = 1): string[] {
    const taken: string[] = [];
    const { nowMs } = at(state);
    for (;;) {
      const batch = this.queue.takeProofs(at(state));
      if (!batch) return taken;
      taken.push(describeBatch(batch));
      this.end(batch, runMs, nowMs);
    }
  }

  /** Ends a batch whose proofs are all refused before the pairing. */
  end(batch: ProofBatch, runMs: number, nowMs: number): void {
    const refused = { ok: false, code: 'input.range' } as const;
    this.queue.finished(
      batch,
      batch.items.map(() => refused),
      runMs,
      nowMs,
    );
  }
}

function describeBatch({ queue, items }: ProofBatch): string {
  const { app } = items[0]?.source ?? {};
  const { suspect } = queue.group;
  const origin = suspect ? ` of ${suspect.address} ${suspect.app ?? app}` : '';
  return `${queue.key.keyId}${origin}: ${items.map(({ statement }) => numberOf(statement)).join(' ')}`;
}

const [a, b, c] = ['a', 'b', 'c'].map((name) => plainKey(name, 4)) as [ProofKey, ProofKey, ProofKey];

describe('the queue of the engine', () => {
  it('gives an idle thread all waiting proofs of one key, up to maxBatch, oldest first', () => {
    const bench = new Bench();
    bench.add(a, 6);
    expect([bench.take(), bench.queue.depth]).toEqual(['a: 1 2 3 4', 2]);
    expect([bench.take(), bench.take()]).toEqual(['a: 5 6', undefined]);
  });

  it('distributes waiting proofs among idle threads', () => {
    const bench = new Bench();
    bench.add(plainKey('a'), 5);
    expect([bench.take({ idle: 3 }), bench.take({ idle: 2 }), bench.take({ idle: 1 })]).toEqual([
      'a: 1 2',
      'a: 3 4',
      'a: 5',
    ]);
  });

  it('alternates between keys, however many proofs one of them has', () => {
    const bench = new Bench();
    bench.add(a, 20);
    bench.add(b, 1);
    bench.add(c, 5);
    const order = Array.from({ length: 6 }, () => bench.take()?.slice(0, 4));
    expect(order).toEqual(['a: 1', 'b: 2', 'c: 2', 'a: 5', 'c: 2', 'a: 9']);
  });

  it('serves each of three hundred keys once before any of them again', () => {
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
    const has = (count: number): boolean => bench.queue.hasRoomFor(count, undefined, 0);
    expect([has(1), has(2)]).toEqual([true, false]);
    bench.call({ call: 'poseidon' }, 1);
    expect(has(1)).toBe(false);
    bench.takeCalls();
    expect(has(1)).toBe(true);
    bench.take();
    expect([has(3), has(4)]).toEqual([true, false]);
  });

  it('lets proofs join a batch up to the room it has', () => {
    const bench = new Bench();
    bench.add(a, 1);
    const batch = bench.queue.takeProofs(at()) as ProofBatch;
    bench.add(a, 3);
    const more = (room: number): number[] =>
      bench.queue.takeMore(batch.queue, room, 0).map(({ statement }) => numberOf(statement));
    expect([more(2), more(2), more(2), bench.take()]).toEqual([[2, 3], [4], [], undefined]);
  });

  it('with a delay, holds an incomplete batch until its oldest proof has waited that long', () => {
    const bench = new Bench({ maxBatchDelayMs: 10 });
    bench.add(a, 2, {}, 1000);
    bench.add(b, 1, {}, 1005);
    const dueAt = (nowMs: number): number => bench.queue.nextDueAtMs(at({ nowMs }));
    expect([bench.take({ nowMs: 1009 }), dueAt(1009)]).toEqual([undefined, 1010]);
    expect([bench.take({ nowMs: 1010 }), dueAt(1010)]).toEqual(['a: 1 2', 1015]);
    bench.add(c, 4, {}, 1012);
    expect(bench.take({ nowMs: 1012 })).toBe('c: 4 5 6 7');
    expect(bench.take({ nowMs: 1012, isDraining: true })).toBe('b: 3');
    expect(dueAt(1012)).toBe(Number.POSITIVE_INFINITY);
  });

  it('returns everything together for refusal', () => {
    const bench = new Bench();
    bench.add(a, 6);
    bench.add(b, 1);
    expect(bench.queue.takeAllProofs().map(({ statement }) => numberOf(statement))).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
    expect([bench.queue.depth, bench.take()]).toEqual([0, undefined]);
  });
});

describe('cancelled proofs', () => {
  it('are dropped when their turn comes, and take no place in a batch', async () => {
    const bench = new Bench();
    const controller = new AbortController();
    bench.add(a, 1);
    bench.add(a, 3, { signal: controller.signal });
    bench.add(a, 3);
    controller.abort();
    expect(bench.take()).toBe('a: 1 5 6 7');
    await nextTurn();
    expect([...bench.answers]).toEqual([2, 3, 4].map((value) => [value, 'engine.cancelled']));
    expect(bench.queue.depth).toBe(0);
  });

  it('free their places when the queue is full', async () => {
    const bench = new Bench({ maxQueue: 8 });
    const controller = new AbortController();
    bench.add(a, 2);
    bench.add(b, 5, { signal: controller.signal });
    bench.add(c, 1);
    controller.abort();
    expect(bench.queue.hasRoomFor(5, undefined, 1)).toBe(true);
    expect(bench.queue.depth).toBe(3);
    await nextTurn();
    expect(bench.answers.size).toBe(5);
    expect([bench.take(), bench.take(), bench.take()]).toEqual(['a: 1 2', 'c: 8', undefined]);
  });

  it('do not give the places that were just promised to proofs that their receivers add', async () => {
    const bench = new Bench({ maxQueue: 8 });
    const controller = new AbortController();
    const added: number[] = [];
    const receiver = { verdict: () => added.push(...bench.add(a, 1)), failed: () => undefined };
    for (let value = 0; value < 8; value++) {
      bench.queue.addProof(a, statementOf(value), { signal: controller.signal }, receiver, value, 0);
    }
    controller.abort();
    expect(bench.queue.hasRoomFor(8, undefined, 1)).toBe(true);
    expect([bench.queue.depth, added]).toEqual([0, []]);
    await nextTurn();
    expect([bench.queue.depth, added.length]).toEqual([8, 8]);
    expect(bench.takeAll()).toEqual(['a: 1 2 3 4', 'a: 5 6 7 8']);
  });
});

describe('proofs of a source that sent bad ones', () => {
  it('are batched separately from all others, including those that were already waiting', () => {
    const bench = new Bench();
    bench.add(a, 1);
    bench.add(a, 2, from('bad'));
    bench.add(a, 1, from('good'));
    bench.fail({ address: 'bad', app: 'app' });
    bench.add(a, 1, from('bad'));
    bench.add(a, 1, from('good'));
    expect(bench.takeAll().sort()).toEqual(['a of bad app: 5 2 3', 'a: 1 4 6'].sort());
  });

  it('are separate from those of other suspects, and from their own under other keys', () => {
    const bench = new Bench();
    for (const address of ['bad', 'worse']) bench.fail({ address, app: 'app' });
    bench.add(a, 1, from('bad'));
    bench.add(a, 1, from('worse'));
    bench.add(b, 1, from('bad'));
    bench.add(a, 1, from('bad', 'other app'));
    expect([...bench.takeAll(), ...bench.takeAll({ nowMs: 100 })].sort()).toEqual(
      ['a of bad app: 1', 'a of worse app: 2', 'b of bad app: 3', 'a: 4'].sort(),
    );
  });

  it('are batched with the others again when the source is forgiven', () => {
    const bench = new Bench();
    bench.fail({ address: 'bad', app: 'app' });
    bench.add(a, 1, from('bad'), 59_999);
    bench.add(a, 1, from('bad'), 60_000);
    bench.add(a, 1, {}, 60_000);
    expect(bench.takeAll({ nowMs: 60_000 }).sort()).toEqual(['a of bad app: 1', 'a: 2 3'].sort());
  });

  it('may fill only a part of the queue, which leaves room for others', () => {
    const bench = new Bench({ maxQueue: 400 });
    bench.fail({ address: 'bad', app: 'app' });
    const has = (count: number, address: string): boolean =>
      bench.queue.hasRoomFor(count, { address, app: 'app' }, 0);
    expect([has(100, 'bad'), has(101, 'bad'), has(400, 'good')]).toEqual([true, false, true]);
    bench.add(a, 90, from('bad'));
    expect([has(10, 'bad'), has(11, 'bad'), has(310, 'good')]).toEqual([true, false, true]);
  });

  it('may fill a third of the queue together with those of all other suspects', () => {
    const bench = new Bench({ maxQueue: 600 });
    const suspects = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '233.252.0.1'];
    for (const address of suspects) bench.fail({ address, app: 'app' });
    const room = (address: string): boolean => bench.queue.hasRoomFor(100, { address, app: 'app' }, 0);
    const filled = suspects.map((address) => {
      const hasRoom = room(address);
      if (hasRoom) bench.add(a, 100, from(address));
      return hasRoom;
    });
    expect(filled).toEqual([true, true, false, false]);
    bench.queue.takeAllProofs();
    expect(room('233.252.0.1')).toBe(true);
  });

  it('are counted for their network once three of its addresses have sent bad ones', () => {
    const bench = new Bench();
    for (const host of [1, 2]) bench.fail({ address: `192.0.2.${host}`, app: 'app' });
    bench.add(a, 1, from('192.0.2.200'));
    expect(bench.takeAll()).toEqual(['a: 1']);
    bench.fail({ address: '192.0.2.3', app: 'app' });
    bench.add(a, 1, from('192.0.2.200'));
    bench.add(a, 1, from('192.0.3.200'));
    expect(bench.takeAll().sort()).toEqual(['a of 192.0.2.0/24 app: 2', 'a: 3']);
  });

  it('wait when their source has used its share, while the others continue', () => {
    const bench = new Bench({ maxQueue: 1000 });
    const key = plainKey('a');
    bench.fail({ address: 'bad', app: 'app' });
    bench.add(key, 60, from('bad'));
    for (let round = 0; round < 40; round += 1) bench.add(key, 30, from(`good ${round}`, `app ${round}`));
    // a batch of bad proofs takes ten times as long as one of good proofs
    const first = [bench.queue.takeProofs(at()), bench.queue.takeProofs(at())].map(
      (batch) => batch as ProofBatch,
    );
    const suspect = first.find(({ queue }) => queue.group.suspect) as ProofBatch;
    // 4 ms of the cost that is assumed at first
    expect(suspect.items).toHaveLength(8);
    bench.end(suspect, 20, 20);
    const next = Array.from({ length: 5 }, () => bench.queue.takeProofs(at({ nowMs: 21 })) as ProofBatch);
    expect(next.map(({ queue }) => queue.group.suspect)).toEqual(next.map(() => undefined));
    const due = bench.queue.nextDueAtMs(at({ nowMs: 21 }));
    expect(due).toBeLessThanOrEqual(21);
    expect(bench.queue.takeProofs(at({ nowMs: 500 }))?.queue.group.suspect).toBeDefined();
  });
});

describe('while some source is suspected', () => {
  const alert = (changes: Partial<QueueLimits> = {}): Bench => {
    const bench = new Bench({ maxQueue: 3000, ...changes });
    bench.fail({ address: '203.0.113.1', app: 'bad' });
    return bench;
  };
  const sizes = (batches: readonly string[]): number[] =>
    batches.map((batch) => batch.slice(batch.indexOf(':') + 2).split(' ').length);

  it('a network gets 32 proofs into the common batch, and further ones into shorter batches', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    for (let host = 1; host <= 20; host += 1) bench.add(key, 10, from(`192.0.2.${host}`, `app ${host}`));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([33, 64, 64, 40]);
  });

  it('an app gets 128 proofs into the common batch', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    for (let network = 0; network < 20; network += 1) bench.add(key, 10, from(`10.0.${network}.1`));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([129, 64, 8]);
  });

  it('a single proof is in the next batch, however many proofs of others came before it', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 64, from('192.0.2.1'));
    bench.add(key, 64, from('192.0.3.1'));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(bench.take()?.endsWith(' 129')).toBe(true);
  });

  it('an app has room in the common batch again once its proofs have joined a running batch', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 1, from('10.0.0.1'));
    const open = bench.queue.takeProofs(at()) as ProofBatch;
    for (let network = 0; network < 4; network += 1) bench.add(key, 32, from(`10.0.${network}.1`));
    expect(bench.queue.takeMore(open.queue, 255, 0)).toHaveLength(128);
    expect(bench.take()).toBeUndefined();
    bench.add(key, 32, from('10.0.1.1'));
    bench.add(key, 1, from('198.51.100.1', 'other app'));
    expect(sizes(bench.takeAll())).toEqual([33]);
  });

  it('a request that does not fit into the third for excess proofs is refused as a whole', () => {
    const bench = alert({ maxQueue: 300 });
    bench.add(a, 32 + 90, from('192.0.2.1'));
    const has = (count: number): boolean =>
      bench.queue.hasRoomFor(count, { address: '192.0.2.2', app: 'app' }, 0);
    expect([has(10), has(11)]).toEqual([true, false]);
  });

  it('a third of the queue is for excess proofs, and the rest for others', () => {
    const bench = alert({ maxQueue: 300 });
    const has = (count: number, address: string): boolean =>
      bench.queue.hasRoomFor(count, { address, app: 'app' }, 0);
    expect(has(64, '192.0.2.1')).toBe(true);
    bench.add(a, 140, from('192.0.2.1'));
    expect([
      has(64, '192.0.2.2'),
      has(1, '192.0.2.2'),
      has(64, '198.51.100.1'),
      has(20, '198.51.100.1'),
    ]).toEqual([false, false, false, true]);
  });

  it('nothing is batched separately a minute after the last bad proof', () => {
    const bench = alert();
    const key = plainKey('a', 256);
    bench.add(key, 200, from('192.0.2.1'), 60_000);
    expect(sizes(bench.takeAll({ nowMs: 60_000 }))).toEqual([200]);
  });
});

describe('waiting calls', () => {
  const hashes: CallOperation = { call: 'poseidon' };
  const signatures: CallOperation = { call: 'sign' };

  it('are batched by operation up to maxBatch, oldest first, and operations alternate', () => {
    const bench = new Bench();
    for (const value of [1, 2, 3, 4, 5]) bench.call(hashes, value);
    bench.call(signatures, 6);
    expect(bench.queue.depth).toBe(6);
    expect([bench.takeCalls(), bench.takeCalls(), bench.takeCalls(), bench.takeCalls()]).toEqual([
      'poseidon: 1 2 3 4',
      'sign: 6',
      'poseidon: 5',
      undefined,
    ]);
    expect(bench.queue.depth).toBe(0);
  });

  it('are batched only while their bytes and results fit', () => {
    const bench = new Bench();
    for (const value of [1, 2, 3]) bench.call(hashes, value, 100);
    expect([bench.takeCalls(800), bench.takeCalls(800)]).toEqual(['poseidon: 1 2', 'poseidon: 3']);
    for (const value of [4, 5, 6]) bench.call(hashes, value);
    expect([bench.takeCalls(512), bench.takeCalls(512)]).toEqual(['poseidon: 4 5', 'poseidon: 6']);
  });
});

describe('calls that join a batch', () => {
  const hashes: CallOperation = { call: 'poseidon' };

  it('have its operation, and are no more than fit', () => {
    const bench = new Bench();
    const taken = (batch: CallBatch, bytes: number): number[] =>
      bench.queue.takeMoreCalls(batch, bytes).map((item) => item.bytes[0] as number);
    bench.call(hashes, 1);
    const batch = bench.queue.takeCalls(10_000) as CallBatch;
    for (const value of [2, 3]) bench.call({ call: 'poseidon2', width: 2 }, value);
    expect(taken(batch, 10_000)).toEqual([]);
    for (const value of [4, 5, 6, 7]) bench.call(hashes, value);
    expect([taken(batch, 600), taken(batch, 10_000), bench.queue.depth]).toEqual([[4], [5, 6, 7], 2]);
  });
});

describe('a finished batch', () => {
  it('counts valid proofs towards forgiving a source, and ignores those without a verdict', () => {
    const bench = new Bench();
    bench.fail({ address: 'bad', app: 'app' });
    bench.add(a, 32, from('bad'));
    const isSuspected = (): boolean => {
      bench.add(b, 1, from('bad'));
      const described = bench.takeAll({ nowMs: 1000 }).find((batch) => batch.startsWith('b')) ?? '';
      return described.startsWith('b of bad');
    };
    for (
      let batch = bench.queue.takeProofs(at());
      batch;
      batch = bench.queue.takeProofs(at({ nowMs: 500 }))
    ) {
      if (batch.items.some(({ statement }) => numberOf(statement) === 32)) {
        const verdicts = batch.items.map((_, index) => (index === 0 ? undefined : VALID));
        expect(bench.queue.finished(batch, verdicts, 1, 500)).toBe(0);
        expect(isSuspected()).toBe(true);
        bench.queue.finished({ ...batch, items: batch.items.slice(0, 1), expectedMs: 0 }, [VALID], 1, 500);
        expect(isSuspected()).toBe(false);
        return;
      }
      bench.queue.finished(
        batch,
        batch.items.map(() => VALID),
        1,
        500,
      );
    }
    throw new Error('expected a batch with proof 32, got none');
  });

  it('counts the proofs that break its batch, and makes their sources suspects', () => {
    const bench = new Bench();
    bench.add(a, 1, from('false one'));
    bench.add(a, 1, from('outside'));
    bench.add(a, 1, from('out of range'));
    const batch = bench.queue.takeProofs(at()) as ProofBatch;
    const verdicts = [FALSE, refusal('proof.point_not_in_subgroup'), refusal('proof.coordinate_range')];
    expect(bench.queue.finished(batch, verdicts, 1, 1)).toBe(2);
    for (const address of ['false one', 'outside', 'out of range']) bench.add(a, 1, from(address));
    expect(bench.takeAll({ nowMs: 100 }).sort()).toEqual(
      ['a of false one app: 4', 'a of outside app: 5', 'a: 6'].sort(),
    );
  });
});
