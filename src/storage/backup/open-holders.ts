import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Another process that has a file open. */
export interface Holder {
  readonly pid: number;
  readonly name: string;
}

/**
 * Other processes of this machine that have one of these files open, as far as this user may see them: those of other
 * users are shown to root alone, those of other containers to nobody.
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

/** Device and inode of what a path leads to. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    // gone meanwhile, or another user's
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
