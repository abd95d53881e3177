// biome-ignore lint/style/noRestrictedImports: the files of this folder are those that hide pg
import pg from 'pg';
import type { ErrorCode } from '../../../errors/index.ts';
import { messageOf } from '../../../text.ts';

/** What an error of a statement or of a connection means for its transaction. */
export interface PostgresFailure {
  readonly code: Extract<ErrorCode, 'store.unreachable' | 'store.failed' | 'store.migrations_pending'>;
  readonly message: string;
  /** The same transaction may succeed if it is run again: another one was in the way. */
  readonly isRetried: boolean;
  /** The connection must not be used again. */
  readonly isConnectionLost: boolean;
  /** Whether the server may have committed, if the failed statement was a commit. */
  readonly isCommitUnclear: boolean;
}

// SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
/** serialization_failure, deadlock_detected. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);
/**
 * unique_violation, duplicate_table, duplicate_object, internal_error ("tuple concurrently updated"): on an index other
 * than that of `on conflict`, or because `create … if not exists` is not atomic. The next attempt sees what the other
 * transaction committed.
 */
const OVERTAKEN: ReadonlySet<string> = new Set(['23505', '42P07', '42710', 'XX000']);
/** Reports a prepared statement whose columns another node's migration has changed: only a new session parses it anew. */
const CHANGED_PLAN_ROUTINE = 'RevalidateCachedQuery';
/**
 * Classes of errors after which the server has rolled the transaction back: a read-only server, a failed transaction, a
 * conflict, no resources, a limit, an object in use.
 */
const ROLLED_BACK_CLASSES: ReadonlySet<string> = new Set(['25', '40', '53', '54', '55']);
/** statement_completion_unknown. */
const COMPLETION_UNKNOWN = '40003';
/** invalid_sql_statement_name, duplicate_prepared_statement: a pooler has given the session to another server process. */
const PREPARED_ELSEWHERE: ReadonlySet<string> = new Set(['26000', '42P05']);
/** Classes of errors of the statement itself: repeating it changes nothing, and the connection is sound. */
const STATEMENT_CLASSES: ReadonlySet<string> = new Set(['0A', '21', '22', '23', '42', '44']);

/**
 * Classifies an error that pg threw. Only an error of the server has an SQLSTATE: others have codes of the operating
 * system such as `EPIPE`. An error that is not known to concern the statement means that the server cannot be used.
 */
export function postgresFailure(error: unknown): PostgresFailure {
  const message = describe(error);
  const sqlState = error instanceof pg.DatabaseError ? error.code : undefined;
  if (sqlState === undefined) return unreachable(message);
  const described = `${message} (${sqlState})`;
  if (CONFLICTS.has(sqlState)) return { code: 'store.unreachable', message: described, ...AGAIN };
  if (OVERTAKEN.has(sqlState)) return { code: 'store.failed', message: described, ...AGAIN };
  if ((error as pg.DatabaseError).routine === CHANGED_PLAN_ROUTINE) {
    return { code: 'store.unreachable', message: described, ...AGAIN, isConnectionLost: true };
  }
  if (PREPARED_ELSEWHERE.has(sqlState)) {
    return unreachable(`${described}: a pooler that shares sessions needs storage.prepare=false`);
  }
  if (sqlState === UNDEFINED_TABLE || sqlState === UNDEFINED_COLUMN) {
    return { code: 'store.migrations_pending', message: described, ...FINAL };
  }
  if (STATEMENT_CLASSES.has(sqlState.slice(0, 2))) {
    return { code: 'store.failed', message: described, ...FINAL };
  }
  return unreachable(
    described,
    sqlState !== COMPLETION_UNKNOWN && ROLLED_BACK_CLASSES.has(sqlState.slice(0, 2)),
  );
}

const AGAIN = { isRetried: true, isConnectionLost: false, isCommitUnclear: false } as const;
const FINAL = { isRetried: false, isConnectionLost: false, isCommitUnclear: false } as const;

function unreachable(message: string, isRolledBack = false): PostgresFailure {
  return {
    code: 'store.unreachable',
    message,
    isRetried: false,
    isConnectionLost: true,
    isCommitUnclear: !isRolledBack,
  };
}

function describe(error: unknown): string {
  // A host name with several addresses fails with the errors of all of them, and without a message of its own.
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return messageOf(first ?? error);
}
