/** Other processes of this machine, as Linux shows them (proc_pid_stat(5)). */
import { readdirSync, readFileSync } from 'node:fs';

const PARENT = 4;
const NICE = 19;

/** Nice value of a process, from -20 to 19. */
export function niceOf(pid: number): number {
  return Number(statField(pid, NICE));
}

/** Ids of the processes that a process started and whose command line has a text. */
export function childrenOf(parent: number, text: string): number[] {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return ids.filter((pid) => {
    try {
      return (
        Number(statField(pid, PARENT)) === parent &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      );
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** @param number - Counted from 1, above 2: the name before may hold spaces. */
function statField(pid: number, number: number): string | undefined {
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  return rest.split(' ')[number - 3];
}
