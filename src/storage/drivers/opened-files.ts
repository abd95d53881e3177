import { statSync } from 'node:fs';

/** Identity of a file, which distinguishes it from another one at the same path; an open file keeps its inode. */
interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Suffixes of the files next to the database: the log with the latest commits, and its index. */
const SIDE_SUFFIXES = ['-wal', '-shm'] as const;

/** Detects that the files of an open database were removed or replaced: open descriptors still accept writes, which are lost. */
export class OpenedFiles {
  readonly #path: string;
  #database: FileIdentity | undefined;
  /** Side files by path. They are constant while a connection has them open. */
  #sides: ReadonlyMap<string, FileIdentity> | undefined;
  /** Set once a file is no longer the opened one, and never unset: writes in between may be lost. */
  #fault: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reason why the database must not be used any more; undefined if no such thing was noticed. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Remembers the database file as the opened one. */
  opened(): void {
    this.#database = fileAt(this.#path);
  }

  /** Remembers the side files, unless they are known: call it while a connection has them open. */
  sidesOpened(): void {
    if (this.#sides !== undefined) return;
    const sides = new Map<string, FileIdentity>();
    for (const suffix of SIDE_SUFFIXES) {
      const path = `${this.#path}${suffix}`;
      const side = fileAt(path);
      if (side !== undefined) sides.set(path, side);
    }
    this.#sides = sides;
  }

  /** Forgets the side files: they may change once the connection is closed. */
  sidesClosed(): void {
    this.#sides = undefined;
  }

  /** Compares the files with the opened ones. */
  check(): void {
    if (this.#fault !== undefined) return;
    if (!isSameFile(this.#database, fileAt(this.#path))) {
      this.#fault = `the database file ${this.#path} was removed or replaced: stop this process, put the file that it opened back or restore a backup, and start again`;
    }
    for (const [path, opened] of this.#sides ?? []) {
      if (this.#fault !== undefined || isSameFile(opened, fileAt(path))) continue;
      this.#fault = `the file ${path} of the database was removed or replaced: stop this process with SIGTERM, which writes what the file held into the database, run \`proofgate doctor\` or restore a backup, and start again`;
    }
  }
}

/** Undefined if there is none, or if that cannot be told. */
function fileAt(path: string): FileIdentity | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}
