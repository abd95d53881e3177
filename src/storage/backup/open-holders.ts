import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Another process that has a file open. */
export interface Holder {
  readonly pid: number;
  readonly name: string;
}

/**
 * Lists the other processes of this machine that have one of these files open. Those of other users are
 * visible to root only, those of other containers not at all.
 */
export function holdersOf(paths: readonly string[]): Holder[] {
  const wanted = new Set(paths.flatMap((path) => identityOf(path) ?? []));
  if (wanted.size === 0) return [];
  return entriesOf('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const folder = `/proc/${entry}/fd`;
    const isHolder = entriesOf(folder).some((descriptor) => {
      const identity = identityOf(`${folder}/${descriptor}`);
      return identity !== undefined && wanted.has(identity);
    });
    return isHolder ? [{ pid, name: nameOf(entry) }] : [];
  });
}

/** Returns device and inode of the file that a path leads to. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // The process has ended, or belongs to another user.
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a process';
  }
}
