import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { BridgeLimits, BridgeMessage, BridgeStatus } from '../store.ts';
import { textColumn, wordColumn } from './columns.ts';

/** What a row is: a request, or its emptied remains with a status; or an answer that waits. */
export type BridgeKind = 'request' | 'response';

/** What is known of an id without its messages. */
export interface BridgeState {
  readonly status: BridgeStatus | undefined;
  readonly hasAnswer: boolean;
}

/** A row to write. */
export interface BridgeRow {
  readonly id: string;
  readonly kind: BridgeKind;
  /** Null for a request that was taken. */
  readonly message: BridgeMessage | null;
  /** Null for an answer. */
  readonly status: BridgeStatus | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** signin.md 8.1: how long an entry lives, anew once its request is taken and once it is answered. */
export const BRIDGE_LIFE_MS = 900_000;

const KINDS: readonly BridgeKind[] = ['request', 'response'];
const STATUSES: readonly BridgeStatus[] = ['initialized', 'retrieved'];

const UPSERT =
  'insert into bridge_messages as t (id, kind, iv, payload, status, size_bytes, expires_at) values ($1,$2,$3,$4,$5,$6,$7) on conflict (id, kind) do update set iv = excluded.iv, payload = excluded.payload, status = excluded.status, size_bytes = excluded.size_bytes, expires_at = excluded.expires_at';

/** The row of a request that begins to live now. */
export function requestRow(
  id: string,
  message: BridgeMessage | null,
  status: BridgeStatus,
  now: number,
): BridgeRow {
  return { id, kind: 'request', message, status, expiresAt: now + BRIDGE_LIFE_MS };
}

/** The row of an answer that begins to live now. */
export function answerRow(id: string, message: BridgeMessage, now: number): BridgeRow {
  return { id, kind: 'response', message, status: null, expiresAt: now + BRIDGE_LIFE_MS };
}

/** Writes a row over whatever is there. */
export function putBridgeRow(row: BridgeRow): Statement {
  return { sql: UPSERT, params: valuesOf(row) };
}

/** Writes a row; a guard that gives no row when a live one has its key. */
export function insertBridgeRow(row: BridgeRow, now: number): Statement {
  return {
    sql: `${UPSERT} where t.expires_at <= $8 returning 1`,
    params: [...valuesOf(row), now],
    isGuard: true,
  };
}

/** Writes a request; a guard that gives no row when one that was not taken has its id. */
export function insertBridgeRequest(row: BridgeRow, now: number): Statement {
  return {
    sql: `${UPSERT} where t.expires_at <= $8 or t.status <> 'initialized' returning 1`,
    params: [...valuesOf(row), now],
    isGuard: true,
  };
}

/** Removes an answer that nobody took. */
export function dropBridgeAnswer(id: string): Statement {
  return { sql: "delete from bridge_messages where id = $1 and kind = 'response'", params: [id] };
}

/** A guard that gives no row when live rows are more, or larger in all, than the limits. */
export function withinBridgeLimits({ maxEntries, maxBytes }: BridgeLimits, now: number): Statement {
  return {
    sql: 'select 1 from (select count(*) as entries, sum(size_bytes) as bytes from bridge_messages where expires_at > $1) as live where entries <= $2 and bytes <= $3',
    params: [now, maxEntries, maxBytes],
    isGuard: true,
  };
}

/** Removes a request that was not taken; a guard that gives its message. */
export function takeBridgeRequest(id: string, now: number): Statement {
  return {
    sql: "delete from bridge_messages where id = $1 and kind = 'request' and status = 'initialized' and expires_at > $2 returning iv, payload",
    params: [id, now],
    isGuard: true,
  };
}

/** Removes the request of an id, taken or not; a guard that gives one row when it was live. */
export function endBridgeRequest(id: string, now: number): Statement {
  return {
    sql: "delete from bridge_messages where id = $1 and kind = 'request' and expires_at > $2 returning 1",
    params: [id, now],
    isGuard: true,
  };
}

/** Removes a waiting answer; a guard that gives its message. */
export function takeBridgeAnswer(id: string, now: number): Statement {
  return {
    sql: "delete from bridge_messages where id = $1 and kind = 'response' and expires_at > $2 returning iv, payload",
    params: [id, now],
    isGuard: true,
  };
}

/** The live rows of an id without their messages: one or two. */
export function bridgeState(id: string, now: number): Statement {
  return {
    sql: 'select kind, status from bridge_messages where id = $1 and expires_at > $2',
    params: [id, now],
  };
}

/** The rows of `bridgeState`. */
export function toBridgeState(rows: readonly SqlRow[]): BridgeState {
  const kinds = rows.map((row) => wordColumn(KINDS, row[0]));
  const request = rows[kinds.indexOf('request')];
  return {
    status: request === undefined ? undefined : wordColumn(STATUSES, request[1]),
    hasAnswer: kinds.includes('response'),
  };
}

/** A row of `takeBridgeRequest` or `takeBridgeAnswer`. */
export function toBridgeMessage(row: SqlRow): BridgeMessage {
  return { iv: textColumn(row[0]), payload: textColumn(row[1]) };
}

function valuesOf({ id, kind, message, status, expiresAt }: BridgeRow): Statement['params'] {
  const { iv = null, payload = null } = message ?? {};
  const size = Buffer.byteLength(id) + Buffer.byteLength(iv ?? '') + Buffer.byteLength(payload ?? '');
  return [id, kind, iv, payload, status, size, expiresAt];
}
