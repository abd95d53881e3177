import type { SqlRow, SqlValue, Statement } from '../../drivers/driver.ts';
import type { LiveSessions, SessionEnd } from '../../model/store-logout.ts';
import type { SessionChange, SessionPlace, SessionRow } from '../../model/store-sessions.ts';
import type { Bytes32 } from '../../values.ts';
import { ACCEPTED_COLUMNS, acceptedValues, toAcceptedProof } from '../accepted.ts';
import { bytesColumn, integerColumn, textColumn } from '../columns.ts';

const COLUMNS = `session_hash, sid, client_id, client_hash, ${ACCEPTED_COLUMNS}, created_at, expires_at`;
/** Sessions that one person may have with a client (spec/sign-in.md#sessions). */
const MAX_SESSIONS = 20;

/** Sessions, or families of refresh tokens, that one transaction ends. */
export const MAX_ENDED = 1000;
/** How long a notice is sent: about as long as the attempts take (src/docs/spec/sign-in.md#back-channel-logout). */
const KEPT_MS = 86_400_000;
/** Condition of `LiveSessions`; `liveValues` returns its four values. */
const LIVE = 'client_id = $1 and client_hash = $2 and auth_time > $3 and expires_at > $4';

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

/** Selects a session by its name. */
export function sessionBySid(sid: string, now: number): Statement {
  return {
    sql: `select ${COLUMNS} from signin_sessions where sid = $1 and expires_at > $2`,
    params: [sid, now],
  };
}

/** Selects live sessions of a client, the latest first. */
export function sessionPage(
  live: LiveSessions,
  now: number,
  limit: number,
  after: SessionPlace | undefined,
): Statement {
  const isBefore = after === undefined ? '' : ' and (created_at, sid) < ($6, $7)';
  return {
    sql: `select ${COLUMNS} from signin_sessions where ${LIVE}${isBefore} order by created_at desc, sid desc limit $5`,
    params: [
      ...[...liveValues(live, now), limit],
      ...(after === undefined ? [] : [after.createdAt, after.sid]),
    ],
  };
}

/** Counts the live sessions of a client. */
export function countSessions(live: LiveSessions, now: number): Statement {
  return { sql: `select count(*) from signin_sessions where ${LIVE}`, params: liveValues(live, now) };
}

/** Adds a notice for the live sessions among those that end; it comes before their end in a transaction. */
export function insertNotices({ live, sid }: SessionEnd, now: number): Statement {
  const ended = sid === undefined ? `sid in (${oldest('$1', '$4')})` : 'sid = $6';
  return {
    sql: `insert into logout_notices (sid, client_id, sub, created_at, attempts, next_at, lease_ends_at, expires_at) select sid, client_id, sub, $4, 0, $4, 0, $5 from signin_sessions where ${LIVE} and ${ended} on conflict do nothing`,
    params: [...liveValues(live, now), now + KEPT_MS, ...(sid === undefined ? [] : [sid])],
  };
}

/**
 * Ends sessions of a client, live or not; returns a row for each. Of all sessions these are those that began until now,
 * at most `MAX_ENDED`.
 */
export function endSessions({ live, sid }: SessionEnd, now: number): Statement {
  const { clientId } = live;
  return sid === undefined
    ? {
        sql: `delete from signin_sessions where client_id = $1 and sid in (${oldest('$1', '$2')}) returning 1`,
        params: [clientId, now],
      }
    : {
        sql: 'delete from signin_sessions where client_id = $1 and sid = $2 returning 1',
        params: [clientId, sid],
      };
}

/** Ends all sessions of a client. */
export function endClientSessions(clientId: string): Statement {
  return { sql: 'delete from signin_sessions where client_id = $1', params: [clientId] };
}

/** Ends sessions of a client, at most `limit`; returns a row for each. */
export function endSomeSessions(clientId: string, limit: number): Statement {
  return {
    sql: 'delete from signin_sessions where sid in (select sid from signin_sessions where client_id = $1 limit $2) returning 1',
    params: [clientId, limit],
  };
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

/** Returns the values of `LIVE`. */
function liveValues({ clientId, clientHash, provenAfter }: LiveSessions, now: number): SqlValue[] {
  return [clientId, clientHash, provenAfter, now];
}

/** Returns a list of sessions that is the same in each statement of a transaction. */
function oldest(clientId: string, until: string): string {
  return `select sid from signin_sessions where client_id = ${clientId} and created_at <= ${until} order by sid limit ${MAX_ENDED}`;
}
