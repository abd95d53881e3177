import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in seconds: of the main thread, of the threads that run proofs, and of all threads. */
export interface CpuTime {
  readonly main: number;
  readonly workers: number;
  readonly all: number;
}

/** Parses the seconds of processor time from /proc/…/schedstat, whose first number is in nanoseconds. */
export function secondsOf(schedstat: string): number {
  return Number(schedstat.split(' ')[0]) / 1e9;
}

/**
 * Returns the processor time that a running process has used.
 *
 * @param workers - Ids of its threads that run proofs.
 */
export function cpuTime(pid: number, workers: ReadonlySet<number> = new Set()): CpuTime {
  const threads = readdirSync(`/proc/${pid}/task`).map((tid) => ({
    tid: Number(tid),
    seconds: secondsOf(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1')),
  }));
  const sum = (list: typeof threads): number => list.reduce((total, { seconds }) => total + seconds, 0);
  return {
    main: sum(threads.filter(({ tid }) => tid === pid)),
    workers: sum(threads.filter(({ tid }) => workers.has(tid))),
    all: sum(threads),
  };
}

/** Returns the resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kib) / 1024;
}
