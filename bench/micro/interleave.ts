import { Bench } from 'tinybench';
import type { Budget } from '../suite.ts';

/** One of several ways to do the same work. */
export interface Contestant {
  readonly name: string;
  /** Operations that one call does; samples are per operation. */
  readonly operations: number;
  /** Puts shared state in place before each sample, outside its time. */
  readonly before?: () => void;
  readonly run: (() => void) | (() => Promise<unknown>);
}

// A sample spans at least this long, so that the clock and one pause of the collector weigh little.
const SAMPLE_MS = 2;

async function callsPerSample(contestant: Contestant): Promise<number> {
  contestant.before?.();
  let spentMs = 0;
  let calls = 0;
  // The first calls compile; the figure comes from the last.
  for (let lastMs = 0; ; ) {
    const began = performance.now();
    await contestant.run();
    lastMs = performance.now() - began;
    spentMs += lastMs;
    calls += 1;
    if (spentMs >= 20 || calls >= 200) return Math.max(1, Math.ceil(SAMPLE_MS / Math.max(lastMs, 1e-4)));
  }
}

/** One sample: an operation's time, and what the whole of it costs the round's time. */
interface Sample {
  readonly overriddenDuration: number;
  readonly overriddenIterationCost: number;
}

/** A task for tinybench that times `calls` calls at once and reports one operation of them. */
function sampled(contestant: Contestant, calls: number): () => Promise<Sample> {
  const { run, before, operations } = contestant;
  return async () => {
    before?.();
    const began = performance.now();
    for (let i = 0; i < calls; i++) {
      const pending = run();
      if (pending instanceof Promise) await pending;
    }
    const elapsed = performance.now() - began;
    return { overriddenDuration: elapsed / (calls * operations), overriddenIterationCost: elapsed };
  };
}

/**
 * Times the contestants in rounds; each round runs all of them, beginning with another one.
 *
 * @returns samples per contestant in µs per operation, in the order of `contestants`.
 */
export async function interleave(
  contestants: readonly Contestant[],
  budget: Pick<Budget, 'rounds' | 'sliceMs'>,
): Promise<number[][]> {
  const tasks: { name: string; task: () => Promise<Sample>; samples: number[] }[] = [];
  for (const contestant of contestants) {
    const calls = await callsPerSample(contestant);
    tasks.push({ name: contestant.name, task: sampled(contestant, calls), samples: [] });
  }
  for (let round = 0; round < budget.rounds; round++) {
    const first = round % tasks.length;
    const order = [...tasks.slice(first), ...tasks.slice(0, first)];
    const bench = new Bench({
      time: budget.sliceMs,
      iterations: 3,
      warmup: false,
      retainSamples: true,
      throws: true,
    });
    for (const { name, task } of order) bench.add(name, task, { async: true });
    await bench.run();
    for (const { name, samples } of order) {
      const result = bench.getTask(name)?.result;
      if (result?.state !== 'completed') throw new Error(`${name}: not measured (${result?.state})`);
      samples.push(...(result.latency.samples ?? []).map((ms) => ms * 1000));
    }
  }
  return tasks.map((task) => task.samples);
}
