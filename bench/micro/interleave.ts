import { Bench } from 'tinybench';
import type { Budget } from '../suite.ts';

/** One of several ways to do the same work. */
export interface Contestant {
  readonly name: string;
  /** Operations of one call; samples are per operation. */
  readonly operations: number;
  /** Sets up shared state before each sample, outside its time. */
  readonly before?: () => void;
  readonly run: (() => void) | (() => Promise<unknown>);
  /** Makes `calls` calls and returns their milliseconds; for work in another process. */
  readonly measure?: (calls: number) => Promise<number>;
  /** Wall time instead of processor time: for work that waits for its own threads. */
  readonly clock?: 'wall';
}

// A sample takes at least this long, so that clock resolution and a garbage collection pause have little
// weight.
const SAMPLE_MS = 2;

/**
 * Returns the processor time of this process in milliseconds. For work in one thread it equals wall time on a
 * quiet machine and does not grow on a busy one.
 */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const wallMs = (): number => performance.now();

async function callTimes(contestant: Contestant, calls: number): Promise<number> {
  const { run, measure, clock } = contestant;
  contestant.before?.();
  if (measure) return measure(calls);
  const now = clock === 'wall' ? wallMs : processorMs;
  const began = now();
  for (let i = 0; i < calls; i++) {
    const pending = run();
    if (pending instanceof Promise) await pending;
  }
  return now() - began;
}

async function callsPerSample(contestant: Contestant): Promise<number> {
  const began = wallMs();
  // The first calls compile the code, so the last call decides.
  for (let calls = 1; ; calls++) {
    const last = await callTimes(contestant, 1);
    if (wallMs() - began >= 20 || calls >= 200)
      return Math.max(1, Math.ceil(SAMPLE_MS / Math.max(last, 1e-3)));
  }
}

/** One sample for tinybench: the time of an operation, and the wall time of the whole sample. */
interface Sample {
  readonly overriddenDuration: number;
  readonly overriddenIterationCost: number;
}

/** Makes a task for tinybench that times `calls` calls together and reports the time of one operation. */
function sampled(contestant: Contestant, calls: number): () => Promise<Sample> {
  return async () => {
    const began = wallMs();
    const spent = await callTimes(contestant, calls);
    return {
      overriddenDuration: spent / (calls * contestant.operations),
      overriddenIterationCost: wallMs() - began,
    };
  };
}

/**
 * Times the contestants in rounds; each round runs all of them, starting with another one.
 *
 * @returns Samples of each contestant in µs per operation, in the order of `contestants`.
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
      iterations: 1,
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
