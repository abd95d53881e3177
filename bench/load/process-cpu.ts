import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process in seconds: of its main thread and of all its threads. */
export interface CpuTime {
  readonly main: number;
  readonly all: number;
}

// Clock ticks a second in /proc on every Linux that Node runs on (USER_HZ).
const TICKS = 100;

/** Reads user and system time from a line of /proc/…/stat; the name in it may hold spaces and brackets. */
export function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Processor time used so far by a running process. */
export function cpuTime(pid: number): CpuTime {
  const threads = readdirSync(`/proc/${pid}/task`).map((tid) => {
    const ticks = ticksOf(readFileSync(`/proc/${pid}/task/${tid}/stat`, 'latin1'));
    return { isMain: Number(tid) === pid, seconds: ticks / TICKS };
  });
  const sum = (list: typeof threads): number => list.reduce((total, thread) => total + thread.seconds, 0);
  return { main: sum(threads.filter((thread) => thread.isMain)), all: sum(threads) };
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kib) / 1024;
}
