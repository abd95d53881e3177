import { randomBytes } from 'node:crypto';
import { isoTime } from '../text.ts';
import type { AuditWriter } from './audit/audit-log.ts';
import { columns, integer, NO_COLUMNS, optional, type RowOf, selected, text, word } from './columns.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { eachOf, guard, point, returning, scan, write } from './sql.ts';
import { writeAll, writeOne } from './transaction.ts';

const DAY_MS = 86_400_000;
/** Retention of events that wait to be sent, and of dead letters. */
const KEPT_MS = 30 * DAY_MS;

/** An event to send. */
export interface NewEvent {
  readonly type: 'app.changed' | 'key.rotated' | 'root_source.stale' | 'refusals.above_threshold';
  /** Members of the event; never a secret, and nothing about a person. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Names what happened: while a row with this key exists, no other one is written. */
  readonly dedupeKey?: string;
}

const EVENT = columns({
  /** Id of the event, the same at each attempt. */
  id: text,
  type: text,
  /** The JSON text to send. */
  body: text,
  createdAt: integer,
  /** Attempts that have begun since the event was written or sent again. */
  attempts: integer,
  nextAt: integer,
  /** Reason of the last failed attempt; null if none has failed. */
  lastError: optional(text),
  /** Time at which the last attempt failed permanently; null while attempts follow. */
  deadAt: optional(integer),
  expiresAt: integer,
  /** Time at which it was received; null until then. */
  deliveredAt: optional(integer),
});
/** An event in the outbox (src/docs/spec/operations.md#webhooks). Times are milliseconds since the epoch. */
export type OutboxRow = RowOf<typeof EVENT>;

/** States of an event: it waits to be sent, was given up, or was received. */
export const EVENT_STATES = ['pending', 'dead', 'delivered'] as const;
/** State of an event. */
export type EventState = (typeof EVENT_STATES)[number];

/** Orders of a list of events. */
const EVENT_ORDERS = ['newest', 'oldest'] as const;

const OUTCOME = columns({
  at: integer,
  eventId: text,
  /** Reason of the failure; null if the event was received. */
  reason: optional(text),
});
/** The last attempt with one result, over all nodes. */
export type AttemptOutcome = RowOf<typeof OUTCOME>;
const RESULT = columns({ result: word(['delivered', 'failed']), ...OUTCOME.members });

/** Part of the list of all events. */
export interface OutboxPage {
  /** Only events in this state. */
  readonly state: EventState | undefined;
  readonly limit: number;
  /** Place of the last event of the page before; undefined for the first page. */
  readonly after: Pick<OutboxRow, 'createdAt' | 'id'> | undefined;
  /** Which events come first; the latest if absent. */
  readonly order?: (typeof EVENT_ORDERS)[number] | undefined;
}

/** Events that were not received. */
export interface OutboxCounts {
  readonly pending: number;
  readonly dead: number;
  /** Time at which the oldest pending event was written; null if there is none. */
  readonly oldestPendingAt: number | null;
}

const IS_OPEN = 'delivered_at is null and dead_at is null';
const IN_STATE: Readonly<Record<EventState | 'any', string>> = {
  any: '',
  pending: ` and ${IS_OPEN}`,
  dead: ' and delivered_at is null and dead_at is not null',
  delivered: ' and delivered_at is not null',
};

const insertNew = write(
  'insert into outbox (id, type, body, dedupe_key, created_at, attempts, next_at, expires_at) values ($1,$2,$3,$4,$5,0,$5,$6) on conflict do nothing returning 1',
);
const dueEvent = point(
  NO_COLUMNS,
  `select 1 from outbox where ${IS_OPEN} and next_at <= $1 and expires_at > $1 limit 1`,
);
/** Skips events that another node is taking. */
const takeDue = returning(
  EVENT,
  `update outbox set next_at = $2, attempts = attempts + 1 where id in (select id from outbox where ${IS_OPEN} and next_at <= $1 and expires_at > $1 order by next_at, id limit $3) and ${IS_OPEN} and next_at <= $1 returning ${EVENT.list()}`,
);
const endEvent = write(
  'update outbox set delivered_at = $2, dead_at = null, last_error = null, expires_at = $3 where id = $1',
);
/** Changes nothing once another attempt has begun or the event has ended. */
const failAttempt = write(
  `update outbox set last_error = $3, next_at = $4, dead_at = $5, expires_at = $6 where id = $1 and attempts = $2 and ${IS_OPEN}`,
);
const unsentEvents = scan(
  EVENT,
  `select ${EVENT.list()} from outbox where delivered_at is null and expires_at > $1 order by created_at, id limit $2`,
);
const FILTERS = ['any', ...EVENT_STATES] as const;
const ORDERS = {
  newest: { isAfter: '<', direction: ' desc' },
  oldest: { isAfter: '>', direction: '' },
} as const;
const PAGES = eachOf(EVENT_ORDERS, (order) => {
  const { isAfter, direction } = ORDERS[order];
  const pageOf = (place: string, state: EventState | 'any') =>
    `select ${EVENT.list()} from outbox where expires_at > $1${IN_STATE[state]}${place} order by created_at${direction}, id${direction} limit $2`;
  return {
    first: eachOf(FILTERS, (state) => scan(EVENT, pageOf('', state))),
    after: eachOf(FILTERS, (state) =>
      scan(EVENT, pageOf(` and (created_at, id) ${isAfter} ($3, $4)`, state)),
    ),
  };
});
/** Fails if there is no such event, or it was received. */
const resendEvent = guard(
  'update outbox set attempts = 0, next_at = $2, dead_at = null, expires_at = $3 where id = $1 and delivered_at is null and expires_at > $2 returning 1',
);
const COUNTS = columns({
  unsent: selected('count(*)', integer),
  dead: selected('count(dead_at)', integer),
  oldestPendingAt: selected('min(case when dead_at is null then created_at end)', optional(integer)),
});
const countUnsent = scan(
  COUNTS,
  `select ${COUNTS.list()} from outbox where delivered_at is null and expires_at > $1`,
);
/** Keeps a later outcome with its result. */
const putResult = write(
  `insert into webhook_outcomes (${RESULT.list()}) values (${RESULT.slots()}) on conflict (result) do update set ${OUTCOME.replaced()} where webhook_outcomes.at <= excluded.at`,
);
const lastResults = point(RESULT, `select ${RESULT.list()} from webhook_outcomes`);

/** Adds an event that is due now; returns no row if one with its key is there. */
export function insertEvent({ type, data, dedupeKey }: NewEvent, now: number): Statement {
  const id = `msg_${randomBytes(18).toString('base64url')}`;
  const body = JSON.stringify({ type, timestamp: isoTime(now), data });
  return insertNew(id, type, body, dedupeKey ?? null, now, now + KEPT_MS);
}

/** Records the end of an attempt; without a reason the event was received. */
function putOutcome(outcome: AttemptOutcome): Statement {
  return putResult(
    ...RESULT.values({ result: outcome.reason === null ? 'delivered' : 'failed', ...outcome }),
  );
}

/** Events that wait to be sent, and dead letters. */
export type OutboxStore = ReturnType<typeof createOutboxStore>;

/** Creates the outbox over a driver. */
export function createOutboxStore(driver: Driver, audit: AuditWriter) {
  return {
    /** Adds an event; false if one with its key is there. */
    add: async (event: NewEvent, now: number): Promise<boolean> =>
      (await writeOne(driver, insertEvent(event, now))) !== undefined,
    /**
     * Begins an attempt for events that are due, the longest due first. No other node takes them until `leaseEnd`; after
     * that they are due again, so that an event outlives the node that was sending it.
     */
    async take(now: number, leaseEnd: number, limit: number): Promise<OutboxRow[]> {
      // Mostly there is none: a read costs less than a commit.
      if ((await driver.read(dueEvent(now))).length === 0) return [];
      const [events] = await writeAll(driver, [takeDue(now, leaseEnd, limit)]);
      return events;
    },
    /** Ends an event that was received. It is kept for a day, so that its key remains known. */
    async delivered(id: string, now: number): Promise<void> {
      const outcome = putOutcome({ at: now, eventId: id, reason: null });
      await writeAll(driver, [endEvent(id, now, now + DAY_MS), outcome]);
    },
    /**
     * Ends an attempt that failed, unless another one has begun since.
     *
     * @param nextAt - When to try again; undefined for a dead letter.
     */
    async failed(
      { id, attempts, expiresAt }: OutboxRow,
      error: string,
      nextAt: number | undefined,
      now: number,
    ): Promise<void> {
      const end = nextAt === undefined ? [now, now, now + KEPT_MS] : [nextAt, null, expiresAt];
      const outcome = putOutcome({ at: now, eventId: id, reason: error });
      await writeAll(driver, [failAttempt(id, attempts, error, ...end), outcome]);
    },
    /** Lists events that were not received, the oldest first. */
    list: (now: number, limit: number): Promise<OutboxRow[]> => driver.scan(unsentEvents(now, limit)),
    /** Lists events of every state, the latest first by default. */
    page({ state, limit, after, order = 'newest' }: OutboxPage, now: number): Promise<OutboxRow[]> {
      const pages = PAGES[order];
      const wanted = state ?? 'any';
      return driver.scan(
        after === undefined
          ? pages.first[wanted](now, limit)
          : pages.after[wanted](now, limit, after.createdAt, after.id),
      );
    },
    /** Makes an event that was not received due now, with all its attempts; false if there is none. */
    async resend(id: string, now: number): Promise<boolean> {
      const change = { action: 'webhook.resent', target: id };
      return (await audit.write([resendEvent(id, now, now + KEPT_MS)], change)).ok;
    },
    async counts(now: number): Promise<OutboxCounts> {
      const [row] = await driver.scan(countUnsent(now));
      const { unsent, dead, oldestPendingAt } = row ?? { unsent: 0, dead: 0, oldestPendingAt: null };
      return { pending: unsent - dead, dead, oldestPendingAt };
    },
    /** Returns the last attempt with each result; undefined if there was none. */
    async lastOutcomes(): Promise<Readonly<Record<'delivered' | 'failed', AttemptOutcome | undefined>>> {
      const results = await driver.read(lastResults());
      const last = (result: string): AttemptOutcome | undefined => {
        const row = results.find((candidate) => candidate.result === result);
        return row && { at: row.at, eventId: row.eventId, reason: row.reason };
      };
      return { delivered: last('delivered'), failed: last('failed') };
    },
  };
}
