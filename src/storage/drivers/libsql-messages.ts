import type { SqlRow, SqlValue } from './driver.ts';
import type { LibsqlFailure } from './libsql-failure.ts';

/** What the worker thread is started with. */
export interface LibsqlWorkerData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** `write` owns the writing connection, `read` has a `query_only` one. */
  readonly role: 'write' | 'read';
}

/** One statement: index of its text, its bound values, and whether it is a guard. */
export type LibsqlCall = readonly [text: number, params: readonly SqlValue[], isGuard: boolean];

/** A transaction for the worker. Each text is sent once, however often the transaction runs it. */
export interface LibsqlRequest {
  readonly id: number;
  readonly texts: readonly string[];
  readonly calls: readonly LibsqlCall[];
}

/** What goes to the worker; `close` is the last message. */
export type LibsqlToWorker = LibsqlRequest | 'close';

/** What became of one request; of requests that were committed together none is answered before the commit. */
export type LibsqlReply =
  | { readonly kind: 'done'; readonly id: number; readonly results: SqlRow[][] }
  | { readonly kind: 'refused'; readonly id: number; readonly failure: LibsqlFailure };

/** What comes from the worker: first `opened` or `lost`, then one reply per request. */
export type LibsqlFromWorker =
  | { readonly kind: 'opened'; readonly durability: string }
  | { readonly kind: 'lost'; readonly failure: LibsqlFailure }
  | LibsqlReply;
