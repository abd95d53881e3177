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
  /** Makes so many calls and gives their milliseconds; where the work is done in another process. */
  readonly measure?: (calls: number) => Promise<number>;
  /** Wall time instead of processor time: for work that waits for its own threads. */
  readonly clock?: 'wall';
}

// A sample spans at least this long, so that the clock and one pause of the collector weigh little.
const SAMPLE_MS = 2;

/**
 * Processor time of this process in milliseconds. Work in one thread takes as much of it as of wall time on a quiet
 * machine, and no more on a busy one.
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
  // The first calls compile; the figure comes from the last.
  for (let calls = 1; ; calls++) {
    const last = await callTimes(contestant, 1);
    if (wallMs() - began >= 20 || calls >= 200)
      return Math.max(1, Math.ceil(SAMPLE_MS / Math.max(last, 1e-3)));
  }
}

/** One sample: an operation's time, and what the whole of it costs the round's time. */
interface Sample {
  readonly overriddenDuration: number;
  readonly overriddenIterationCost: number;
}

/** A task for tinybench that times `calls` calls at once and reports one operation of them. */
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
