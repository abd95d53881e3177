import { randomBytes } from 'node:crypto';
import { isoTime } from '../../text.ts';
import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { AttemptOutcome, EventState, NewEvent, OutboxPage, OutboxRow } from '../model/store-outbox.ts';
import { integerColumn, optionalIntegerColumn, optionalTextColumn, textColumn } from './columns.ts';

const DAY_MS = 86_400_000;
/** How long an event waits to be sent, and a dead letter to be sent again. */
const KEPT_MS = 30 * DAY_MS;
const COLUMNS =
  'id, type, body, created_at, attempts, next_at, last_error, dead_at, expires_at, delivered_at';
const IS_OPEN = 'delivered_at is null and dead_at is null';
const IN_STATE: Readonly<Record<EventState, string>> = {
  pending: IS_OPEN,
  dead: 'delivered_at is null and dead_at is not null',
  delivered: 'delivered_at is not null',
};

/** Adds an event that is due now; returns no row if one with its key is there. */
export function insertEvent({ type, data, dedupeKey }: NewEvent, now: number): Statement {
  const id = `msg_${randomBytes(18).toString('base64url')}`;
  const body = JSON.stringify({ type, timestamp: isoTime(now), data });
  return {
    sql: 'insert into outbox (id, type, body, dedupe_key, created_at, attempts, next_at, expires_at) values ($1,$2,$3,$4,$5,0,$5,$6) on conflict do nothing returning 1',
    params: [id, type, body, dedupeKey ?? null, now, now + KEPT_MS],
  };
}

/** Selects whether an event is due. */
export function isEventDue(now: number): Statement {
  return {
    sql: `select 1 from outbox where ${IS_OPEN} and next_at <= $1 and expires_at > $1 limit 1`,
    params: [now],
  };
}

/** Begins attempts for due events; an event that another node takes meanwhile is left out. */
export function takeEvents(now: number, leaseEnd: number, limit: number): Statement {
  return {
    sql: `update outbox set next_at = $2, attempts = attempts + 1 where id in (select id from outbox where ${IS_OPEN} and next_at <= $1 and expires_at > $1 order by next_at, id limit $3) and ${IS_OPEN} and next_at <= $1 returning ${COLUMNS}`,
    params: [now, leaseEnd, limit],
  };
}

/** Ends an event that was received. */
export function endEvent(id: string, now: number): Statement {
  return {
    sql: 'update outbox set delivered_at = $2, dead_at = null, last_error = null, expires_at = $3 where id = $1',
    params: [id, now, now + DAY_MS],
  };
}

/** Ends an attempt, unless another one has begun or the event has ended; a dead letter if there is no next one. */
export function failEvent(
  { id, attempts, expiresAt }: OutboxRow,
  error: string,
  nextAt: number | undefined,
  now: number,
): Statement {
  const isDead = nextAt === undefined;
  return {
    sql: `update outbox set last_error = $3, next_at = $4, dead_at = $5, expires_at = $6 where id = $1 and attempts = $2 and ${IS_OPEN}`,
    params: [id, attempts, error, nextAt ?? now, isDead ? now : null, isDead ? now + KEPT_MS : expiresAt],
  };
}

/** Selects events that were not received, the oldest first. */
export function unsentEvents(now: number, limit: number): Statement {
  return {
    sql: `select ${COLUMNS} from outbox where delivered_at is null and expires_at > $1 order by created_at, id limit $2`,
    params: [now, limit],
  };
}

/** Selects a page of all events, the latest first. */
export function eventPage({ state, limit, after }: OutboxPage, now: number): Statement {
  const inState = state === undefined ? '' : ` and ${IN_STATE[state]}`;
  const isBefore = after === undefined ? '' : ' and (created_at, id) < ($3, $4)';
  return {
    sql: `select ${COLUMNS} from outbox where expires_at > $1${inState}${isBefore} order by created_at desc, id desc limit $2`,
    params: [now, limit, ...(after === undefined ? [] : [after.createdAt, after.id])],
  };
}

/** Makes an event due; a guard that returns no row if there is none, or it was received. */
export function resendEvent(id: string, now: number): Statement {
  return {
    sql: 'update outbox set attempts = 0, next_at = $2, dead_at = null, expires_at = $3 where id = $1 and delivered_at is null and expires_at > $2 returning 1',
    params: [id, now, now + KEPT_MS],
    isGuard: true,
  };
}

/** Counts the events that were not received and the dead letters among them, and selects the age of the others. */
export function countUnsent(now: number): Statement {
  return {
    sql: 'select count(*), count(dead_at), min(case when dead_at is null then created_at end) from outbox where delivered_at is null and expires_at > $1',
    params: [now],
  };
}

/** Records the end of an attempt, unless a later one with its result is known; without a reason it was received. */
export function putOutcome({ at, eventId, reason }: AttemptOutcome): Statement {
  return {
    sql: 'insert into webhook_outcomes (result, at, event_id, reason) values ($1,$2,$3,$4) on conflict (result) do update set at = excluded.at, event_id = excluded.event_id, reason = excluded.reason where webhook_outcomes.at <= excluded.at',
    params: [reason === null ? 'delivered' : 'failed', at, eventId, reason],
  };
}

/** Selects the last attempt with each result. */
export function lastOutcomes(): Statement {
  return { sql: 'select result, at, event_id, reason from webhook_outcomes', params: [] };
}

/** Parses a row of `lastOutcomes`, without its result. */
export function toOutcome(row: SqlRow): AttemptOutcome {
  return {
    at: integerColumn(row[1]),
    eventId: textColumn(row[2]),
    reason: optionalTextColumn(row[3]),
  };
}

/** Parses a row of `takeEvents`, `unsentEvents` and `eventPage`. */
export function toOutboxRow(row: SqlRow): OutboxRow {
  return {
    id: textColumn(row[0]),
    type: textColumn(row[1]),
    body: textColumn(row[2]),
    createdAt: integerColumn(row[3]),
    attempts: integerColumn(row[4]),
    nextAt: integerColumn(row[5]),
    lastError: optionalTextColumn(row[6]),
    deadAt: optionalIntegerColumn(row[7]),
    expiresAt: integerColumn(row[8]),
    deliveredAt: optionalIntegerColumn(row[9]),
  };
}
