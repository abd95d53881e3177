import { expect } from 'vitest';
import { Dispatcher } from '../../../src/engine/dispatch/dispatcher.ts';
import type { EngineEvent, VerifyOptions } from '../../../src/engine/engine.ts';
import type { CallOperation } from '../../../src/engine/operation.ts';
import type { ProofKey } from '../../../src/engine/queue/work-queues.ts';
import { until } from '../../support/until.ts';
import { Answers, plainKey, statementOf } from './proof-bench.ts';
import { type HeldBatch, ScriptedExecutor } from './scripted-executor.ts';

const limits = { maxQueue: 1000, maxBatch: 64, maxBatchDelayMs: 0 };

/** A dispatcher over a scripted executor, and what it answered. */
export class Bench {
  readonly executor: ScriptedExecutor;
  readonly events: EngineEvent[] = [];
  readonly dispatcher: Dispatcher;
  readonly answers: Answers = new Answers();
  readonly calls: Answers = new Answers();

  constructor(threads: number, changes: Partial<typeof limits> = {}) {
    const { maxBatch } = { ...limits, ...changes };
    this.executor = new ScriptedExecutor(threads, maxBatch);
    this.dispatcher = new Dispatcher(this.executor, { ...limits, ...changes }, (event) =>
      this.events.push(event),
    );
  }

  add(key: ProofKey, values: readonly number[], options: VerifyOptions = {}): void {
    for (const value of values) {
      const { answers, dispatcher } = this;
      dispatcher.addProof(key, statementOf(value), options, answers, value);
    }
  }

  call(operation: CallOperation, value: number): void {
    this.dispatcher.addCall(operation, {
      bytes: Uint8Array.of(value),
      resolve: () => this.calls.verdict(value, { ok: true }),
      reject: (fault) => this.calls.failed(value, fault),
    });
  }

  /** Waits for the next slot and takes it, as a worker does. */
  async next(): Promise<HeldBatch> {
    let held: HeldBatch | undefined;
    await until(() => {
      held = this.executor.take();
      return held !== undefined;
    });
    return held as HeldBatch;
  }
}

export const a: ProofKey = plainKey('a');
export const b: ProofKey = plainKey('b');

/** A bench with one thread that works on proof 0; its next batch, with proof 1, is ready. */
export async function benchWithNextBatch(): Promise<Bench> {
  const bench = new Bench(1);
  for (const value of [0, 1]) {
    bench.add(a, [value]);
    await Promise.resolve();
    expect(bench.dispatcher.depth).toBe(0);
    if (value === 0) expect(bench.executor.take()?.values).toEqual([0]);
  }
  return bench;
}

/** A bench whose only thread holds proof 1. */
export async function busyBench(): Promise<{ readonly bench: Bench; readonly held: HeldBatch }> {
  const bench = new Bench(1);
  bench.add(a, [1]);
  return { bench, held: await bench.next() };
}
