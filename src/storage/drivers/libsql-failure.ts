import type { ErrorCode } from '../../errors/catalogue.ts';

/** An error of libsql as data, since a thrown error loses its fields between threads. */
export interface LibsqlFailure {
  readonly code: Extract<ErrorCode, 'store.unreachable' | 'store.failed' | 'store.migrations_pending'>;
  readonly message: string;
  /** Another connection holds the lock; the same call may succeed a moment later. */
  readonly isBusy: boolean;
  /** The connection must not be used again. */
  readonly isConnectionLost: boolean;
}

// Primary result codes, https://www.sqlite.org/rescode.html; the low byte of an extended code.
const BUSY = 5;
const LOCKED = 6;
const GENERIC_ERROR = 1;
// CORRUPT, NOTADB.
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);
// PERM, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, AUTH, NOTADB: the file or the disk is at
// fault.
const UNUSABLE: ReadonlySet<number> = new Set([3, 7, 8, 10, 11, 13, 14, 15, 23, 26]);

/** Classifies an error that libsql threw. */
export function libsqlFailure(error: unknown): LibsqlFailure {
  const rawCode = (error as { rawCode?: unknown } | null)?.rawCode;
  const primary = typeof rawCode === 'number' ? rawCode & 0xff : undefined;
  const message = describe(error);
  if (primary === BUSY || primary === LOCKED) {
    return { code: 'store.unreachable', message, isBusy: true, isConnectionLost: false };
  }
  // Without a code: the file could not be opened, or the connection is closed.
  if (primary === undefined || UNUSABLE.has(primary)) {
    return { code: 'store.unreachable', message, isBusy: false, isConnectionLost: true };
  }
  const isTableMissing = primary === GENERIC_ERROR && message.includes('no such table');
  const code = isTableMissing ? 'store.migrations_pending' : 'store.failed';
  return { code, message, isBusy: false, isConnectionLost: false };
}

/** Whether the content of the file is at fault: it is not a database, or a corrupt one. */
export function isDamaged(error: unknown): boolean {
  const rawCode = (error as { rawCode?: unknown } | null)?.rawCode;
  return typeof rawCode === 'number' && DAMAGED.has(rawCode & 0xff);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
