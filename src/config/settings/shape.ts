import { availableParallelism } from 'node:os';
import type { SettingValue } from './setting.ts';

/** Threads of a service on one machine. */
export interface Shape {
  readonly frontEnds: number;
  /** Worker threads of the engine, of all front ends together. */
  readonly workers: number;
}

/** Processors from which a second front end pays off: below, a worker in its place serves more (engine.md). */
const MIN_PROCESSORS = 4;

/** Returns the number of front ends of `auto`: a front end and a worker cost about the same for a request of one proof. */
function frontEndsFor(processors: number): number {
  return processors < MIN_PROCESSORS ? 1 : Math.min(64, Math.floor(processors / 2) - 1 || 1);
}

/** Returns the number of front ends that the value of `server.frontEnds` means on a machine. */
export function frontEndsOf(value: SettingValue | undefined, processors: number): number {
  return value === 'auto' ? frontEndsFor(processors) : Number(value ?? 1);
}

/** Returns the number of workers beside front ends: with several, a processor is left to the database thread. */
export function workersBeside(frontEnds: number, processors: number): number {
  const left = frontEnds === 1 ? processors - 1 : processors - frontEnds - 1;
  return Math.max(frontEnds, left);
}

/** Returns the number of processors that this process may use. */
export function processors(): number {
  return availableParallelism();
}
