/** Reads other processes of this machine from Linux's /proc (proc_pid_stat(5)). */
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const PARENT = 4;
const NICE = 19;

/** Nice value of a process, from -20 to 19. */
export function niceOf(pid: number): number {
  return Number(statField(pid, NICE));
}

/** Ids of the child processes whose command line contains a text. */
export function childrenOf(parent: number, text: string): number[] {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return ids.filter((pid) => {
    try {
      return (
        Number(statField(pid, PARENT)) === parent &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      );
    } catch {
      // the process has ended in the meantime
      return false;
    }
  });
}

/**
 * Gives a process and its children the usual priority: at the lowest one, they get next to no time beside other
 * load. Does nothing where that is not permitted.
 */
export function raisePriority(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), 0);
  } catch {
    // forbidden, or the process has ended in the meantime
  }
  for (const child of childrenOf(pid, '')) raisePriority(child);
}

/**
 * @param number - Counted from 1; must be above 2, because the name of the process in field 2 may contain
 * spaces.
 */
function statField(pid: number, number: number): string | undefined {
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  return rest.split(' ')[number - 3];
}
