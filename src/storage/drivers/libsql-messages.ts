import type { MessagePort } from 'node:worker_threads';
import type { Statement, ThreadRole } from './driver.ts';
import type { GateCells } from './exit-gate.ts';
import type { LibsqlFailure } from './libsql-failure.ts';
import type { PackedResults, PackedValues } from './packed-values.ts';

/** Start parameters of a database thread. */
export interface LibsqlWorkerData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly role: ThreadRole;
  /** Shared with the main thread: see `exit-gate.ts`. */
  readonly gate: GateCells;
}

/** Messages from the thread that started it: a port to serve, or `close`, the last one. */
export type LibsqlControl = { readonly port: MessagePort } | 'close';

/** A transaction for the database thread, sent over a port. Each text is sent once, however often the transaction runs it. */
export interface LibsqlRequest {
  readonly id: number;
  readonly texts: readonly string[];
  /** Three numbers per statement: index of its text, number of its values, and `guardNumber`. */
  readonly calls: readonly number[];
  /** The values of all statements, in order. */
  readonly values: PackedValues;
}

/** Outcome of one request, sent after the commit. */
export type LibsqlReply =
  | { readonly kind: 'done'; readonly id: number; readonly results: PackedResults }
  /** `guard` is the index of the statement whose guard failed. */
  | { readonly kind: 'undone'; readonly id: number; readonly guard: number }
  | { readonly kind: 'refused'; readonly id: number; readonly failure: LibsqlFailure };

/** Reports that the connection cannot be used: to the thread that started it, and over each port before the last replies. */
export interface LibsqlLost {
  readonly kind: 'lost';
  readonly failure: LibsqlFailure;
}

/** Messages over a port: first `opened` or `lost`, then one reply per request. */
export type LibsqlFromWorker =
  | { readonly kind: 'opened'; readonly durability: string }
  | LibsqlLost
  | LibsqlReply;

const NO_GUARD = 0;
const MUST_GIVE_ROW = -1;

/** Encodes the guard of a statement: 0 for none, -1 if it must return a row, n if n rows must change. */
export function guardNumber({ isGuard, mustChange }: Statement): number {
  return isGuard === true ? MUST_GIVE_ROW : (mustChange ?? NO_GUARD);
}

/** Decodes the number of `guardNumber`. */
export function guardOf(number: number): Pick<Statement, 'isGuard' | 'mustChange'> {
  if (number === NO_GUARD) return {};
  return number === MUST_GIVE_ROW ? { isGuard: true } : { mustChange: number };
}
