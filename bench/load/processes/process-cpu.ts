import { readdirSync, readFileSync } from 'node:fs';

/** What a thread of a server does; `runtime` are those of Node that run no program of the server. */
export type ThreadRole = 'main' | 'front_end' | 'worker' | 'database' | 'runtime';

/** Roles of the threads that run a program, by system thread. */
export type ThreadRoles = ReadonlyMap<number, ThreadRole>;

/** Processor time in seconds: of the main thread, of the threads that run proofs, and of all threads. */
export interface CpuTime {
  readonly main: number;
  readonly workers: number;
  readonly all: number;
  /** By system thread. */
  readonly threads: ReadonlyMap<number, number>;
}

/** Parses the seconds of processor time from /proc/…/schedstat, whose first number is in nanoseconds. */
export function secondsOf(schedstat: string): number {
  return Number(schedstat.split(' ')[0]) / 1e9;
}

/** Returns the processor time that a running process has used. */
export function cpuTime(pid: number, roles: ThreadRoles = new Map()): CpuTime {
  const threads = new Map(
    readdirSync(`/proc/${pid}/task`).map((tid) => [
      Number(tid),
      secondsOf(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1')),
    ]),
  );
  const sum = (isCounted: (tid: number) => boolean): number =>
    [...threads].reduce((total, [tid, seconds]) => (isCounted(tid) ? total + seconds : total), 0);
  return {
    main: sum((tid) => tid === pid),
    workers: sum((tid) => roles.get(tid) === 'worker'),
    all: sum(() => true),
    threads,
  };
}

/** Returns, for each role, the processor time between two readings of its threads, in seconds, the busiest first. */
export function timesByRole(
  pid: number,
  roles: ThreadRoles,
  [before, after]: readonly [CpuTime, CpuTime],
): ReadonlyMap<ThreadRole, readonly number[]> {
  const times = new Map<ThreadRole, number[]>();
  for (const [tid, seconds] of after.threads) {
    const role = tid === pid ? 'main' : (roles.get(tid) ?? 'runtime');
    const own = times.get(role) ?? [];
    times.set(
      role,
      [...own, seconds - (before.threads.get(tid) ?? 0)].sort((one, other) => other - one),
    );
  }
  return times;
}

/** Returns the resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kib) / 1024;
}
