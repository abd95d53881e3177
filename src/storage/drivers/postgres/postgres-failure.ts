// biome-ignore lint/style/noRestrictedImports: the files of this folder are those that hide pg
import pg from 'pg';
import type { ErrorCode } from '../../../errors/catalogue.ts';
import { messageOf } from '../../../text.ts';

/** Effect of an error of a statement or connection on its transaction. */
export interface PostgresFailure {
  readonly code: Extract<ErrorCode, 'store.unreachable' | 'store.failed' | 'store.migrations_pending'>;
  readonly message: string;
  /** SQLSTATE, if it is an error of the server. */
  readonly sqlState?: string;
  /** Whether the transaction may succeed if run again: it conflicted with another one. */
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

const PASSWORD_CURE =
  'Correct the user in storage.url or its password, storage.password or the file that PROOFGATE_STORAGE_PASSWORD_FILE names.';
const HOST_CURE = 'Correct the host in storage.url, or the name service of this machine.';
const NETWORK_CURE =
  'Let this machine reach the server: a firewall, a route or the server itself drops what is sent.';
/** Remedies if no session can be opened, by SQLSTATE or by code of the operating system. */
const CONNECT_CURES: Readonly<Record<string, string>> = {
  '28P01': PASSWORD_CURE,
  '28000':
    'Let the user of storage.url log in: the role must exist, and pg_hba.conf of the server must let it connect from this machine.',
  '3D000': 'Correct the database in storage.url, or create it with the encoding UTF8.',
  '42501': 'Grant the user of storage.url the right to connect to the database.',
  '53300': 'Raise max_connections of the server, or lower storage.poolSize of the nodes.',
  ECONNREFUSED:
    'Start the server, or correct host and port in storage.url; listen_addresses of the server must have this address.',
  ENOTFOUND: HOST_CURE,
  EAI_AGAIN: HOST_CURE,
  ETIMEDOUT: NETWORK_CURE,
  EHOSTUNREACH: NETWORK_CURE,
  ENETUNREACH: NETWORK_CURE,
};

/** Returns the remedy for an error because of which no session could be opened. */
export function connectCure(error: unknown): string {
  const { code = '', message } = firstOf(error) as NodeJS.ErrnoException;
  // pg has no code for a password that is missing.
  if (message.startsWith('SASL')) return PASSWORD_CURE;
  return CONNECT_CURES[code] ?? 'Make the server that storage.url names answer and accept writes.';
}

/**
 * Classifies an error that pg threw. Only an error of the server has an SQLSTATE: others have codes of the operating
 * system such as `EPIPE`. An error that is not known to concern the statement means that the server cannot be used.
 */
export function postgresFailure(error: unknown): PostgresFailure {
  const message = describe(error);
  const sqlState = error instanceof pg.DatabaseError ? error.code : undefined;
  if (sqlState === undefined) return unreachable(message);
  return { ...serverFailure(error as pg.DatabaseError, sqlState, `${message} (${sqlState})`), sqlState };
}

function serverFailure({ routine }: pg.DatabaseError, sqlState: string, described: string): PostgresFailure {
  if (CONFLICTS.has(sqlState)) return { code: 'store.unreachable', message: described, ...AGAIN };
  if (OVERTAKEN.has(sqlState)) return { code: 'store.failed', message: described, ...AGAIN };
  if (routine === CHANGED_PLAN_ROUTINE) {
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
  return messageOf(firstOf(error));
}

/** A host name with several addresses fails with the errors of all of them, and without a message of its own. */
function firstOf(error: unknown): unknown {
  return (error instanceof AggregateError ? error.errors[0] : undefined) ?? error;
}
