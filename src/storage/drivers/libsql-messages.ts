import type { Statement } from './driver.ts';
import type { GateCells } from './exit-gate.ts';
import type { LibsqlFailure } from './libsql-failure.ts';
import type { PackedResults, PackedValues } from './packed-values.ts';

/** What the worker thread is started with. */
export interface LibsqlWorkerData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** `write` owns the writing connection, `read` has a `query_only` one. */
  readonly role: 'write' | 'read';
  /** Work that touches the database runs behind it. */
  readonly gate: GateCells;
}

/** A transaction for the worker. Each text is sent once, however often the transaction runs it. */
export interface LibsqlRequest {
  readonly id: number;
  readonly texts: readonly string[];
  /** Three numbers a statement: index of its text, number of its values, and `guardNumber`. */
  readonly calls: readonly number[];
  /** The values of all statements, in order. */
  readonly values: PackedValues;
}

/** What goes to the worker; `close` is the last message. */
export type LibsqlToWorker = LibsqlRequest | 'close';

/** What became of one request; of requests that were committed together none is answered before the commit. */
export type LibsqlReply =
  | { readonly kind: 'done'; readonly id: number; readonly results: PackedResults }
  /** Index of the statement whose guard did not hold. */
  | { readonly kind: 'undone'; readonly id: number; readonly guard: number }
  | { readonly kind: 'refused'; readonly id: number; readonly failure: LibsqlFailure };

/** What comes from the worker: first `opened` or `lost`, then one reply per request. */
export type LibsqlFromWorker =
  | { readonly kind: 'opened'; readonly durability: string }
  | { readonly kind: 'lost'; readonly failure: LibsqlFailure }
  | LibsqlReply;

const NO_GUARD = 0;
const MUST_GIVE_ROW = -1;

/** What guards a statement, as a number: 0 for nothing, -1 for a row that must come, n for rows that must change. */
export function guardNumber({ isGuard, mustChange }: Statement): number {
  return isGuard === true ? MUST_GIVE_ROW : (mustChange ?? NO_GUARD);
}

/** The number as part of a statement again. */
export function guardOf(number: number): Pick<Statement, 'isGuard' | 'mustChange'> {
  if (number === NO_GUARD) return {};
  return number === MUST_GIVE_ROW ? { isGuard: true } : { mustChange: number };
}
