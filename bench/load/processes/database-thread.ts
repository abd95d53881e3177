import { readdirSync, readFileSync } from 'node:fs';
import { secondsOf } from './process-cpu.ts';

/** Returns the processor time of each thread of this process but the main one, in seconds, by thread id. */
function otherThreads(): Map<string, number> {
  const tids = readdirSync('/proc/self/task').filter((tid) => Number(tid) !== process.pid);
  return new Map(
    tids.map((tid) => [tid, secondsOf(readFileSync(`/proc/self/task/${tid}/schedstat`, 'latin1'))]),
  );
}

/**
 * Starts to measure the processor time of the database thread of this process: while it commits, it is the busiest one
 * next to the main thread.
 *
 * @returns A function that returns the seconds since.
 */
export function measureDatabaseThread(): () => number {
  const before = otherThreads();
  return () => Math.max(...[...otherThreads()].map(([tid, seconds]) => seconds - (before.get(tid) ?? 0)));
}
