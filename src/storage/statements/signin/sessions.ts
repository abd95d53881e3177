import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { SessionChange, SessionRow } from '../../model/store-signin.ts';
import type { Bytes32 } from '../../model/values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import { bytesColumn, integerColumn, textColumn } from '../columns.ts';

const COLUMNS = `session_hash, sid, client_id, client_hash, ${ACCEPTED_COLUMNS}, created_at, expires_at`;
/** Sessions that one person may have with a client (spec/sign-in.md#sessions). */
const MAX_SESSIONS = 20;

/** Selects a session of a client that has not expired. */
export function sessionByHash(sessionHash: Bytes32, clientId: string, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from signin_sessions where session_hash = $1 and client_id = $2 and expires_at > $3`,
    params: [sessionHash, clientId, now],
  };
}

/** A guard that returns no row if a session of a client has ended; locks it against its end until the commit. */
export function sessionIsLive(sessionHash: Bytes32, clientId: string, now: number): Statement {
  return {
    sql: 'update signin_sessions set client_id = client_id where session_hash = $1 and client_id = $2 and expires_at > $3 returning 1',
    params: [sessionHash, clientId, now],
    isGuard: true,
  };
}

/** Selects one row if there is a session with this name. */
export function sessionExists(sid: string): Statement {
  return { sql: 'select 1 from signin_sessions where sid = $1', params: [sid] };
}

/** Ends all sessions of a client. */
export function endClientSessions(clientId: string): Statement {
  return { sql: 'delete from signin_sessions where client_id = $1', params: [clientId] };
}

/** Ends the former session of a browser and begins another; the oldest of a person ends beyond the bound. */
export function sessionStatements({ former, begun }: SessionChange): Statement[] {
  const end = (hash: Bytes32): Statement => ({
    sql: 'delete from signin_sessions where session_hash = $1',
    params: [hash],
  });
  return [
    ...(former === undefined ? [] : [end(former)]),
    ...(begun === undefined ? [] : [insertSession(begun), dropOldSessions(begun)]),
  ];
}

function insertSession(row: SessionRow): Statement {
  return {
    sql: `insert into signin_sessions (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9)`,
    params: [
      ...[row.sessionHash, row.sid, row.clientId, row.clientHash],
      ...acceptedValues(row.accepted),
      ...[row.createdAt, row.expiresAt],
    ],
  };
}

function dropOldSessions({ clientId, accepted }: SessionRow): Statement {
  return {
    sql: `delete from signin_sessions where client_id = $1 and sub = $2 and sid not in (select sid from signin_sessions where client_id = $1 and sub = $2 order by created_at desc, sid limit ${MAX_SESSIONS})`,
    params: [clientId, accepted.sub],
  };
}

/** Parses a row of `sessionByHash`. */
export function toSessionRow(row: SqlRow): SessionRow {
  const accepted = toAcceptedProof(row, 4);
  if (accepted === null) throw new Error('expected the accepted proof of a session, got null');
  return {
    sessionHash: bytesColumn(row[0]),
    sid: textColumn(row[1]),
    clientId: textColumn(row[2]),
    clientHash: bytesColumn(row[3]),
    accepted,
    createdAt: integerColumn(row[7]),
    expiresAt: integerColumn(row[8]),
  };
}
