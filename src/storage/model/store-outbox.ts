/** An event to send. */
export interface NewEvent {
  readonly type: 'app.changed' | 'key.rotated' | 'root_source.stale' | 'refusals.above_threshold';
  /** Members of the event; never a secret, and nothing about a person. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Names what happened: while a row with this key exists, no other one is written. */
  readonly dedupeKey?: string;
}

/** An event in the outbox (src/docs/spec/operations.md#webhooks). Times are milliseconds since the epoch. */
export interface OutboxRow {
  /** Id of the event, the same at each attempt. */
  readonly id: string;
  readonly type: string;
  /** The JSON text to send. */
  readonly body: string;
  readonly createdAt: number;
  /** Attempts that have begun since the event was written or sent again. */
  readonly attempts: number;
  readonly nextAt: number;
  /** Why the last attempt failed; null if none has. */
  readonly lastError: string | null;
  /** When the last attempt failed for good; null while attempts follow. */
  readonly deadAt: number | null;
  /** When it was received; null until then. */
  readonly deliveredAt: number | null;
  readonly expiresAt: number;
}

/** States of an event: it waits to be sent, was given up, or was received. */
export const EVENT_STATES = ['pending', 'dead', 'delivered'] as const;
/** State of an event. */
export type EventState = (typeof EVENT_STATES)[number];

/** Events that were not received. */
export interface OutboxCounts {
  readonly pending: number;
  readonly dead: number;
  /** When the oldest pending one was written; null if there is none. */
  readonly oldestPendingAt: number | null;
}

/** The last attempt with one result, over all nodes. */
export interface AttemptOutcome {
  readonly at: number;
  readonly eventId: string;
  /** Why it failed; null if the event was received. */
  readonly reason: string | null;
}

/** Part of the list of all events. */
export interface OutboxPage {
  /** Only events in this state. */
  readonly state: EventState | undefined;
  readonly limit: number;
  /** Place of the last event of the page before; undefined for the first page. */
  readonly after: Pick<OutboxRow, 'createdAt' | 'id'> | undefined;
}

/** Events that wait to be sent, and dead letters. */
export interface OutboxStore {
  /** Adds an event; false if one with its key is there. */
  add(event: NewEvent, now: number): Promise<boolean>;
  /**
   * Begins an attempt for events that are due, the longest due first. No other node takes them until `leaseEnd`; after
   * that they are due again, so that an event outlives the node that was sending it.
   */
  take(now: number, leaseEnd: number, limit: number): Promise<OutboxRow[]>;
  /** Ends an event that was received. It is kept for a day, so that its key stays known. */
  delivered(id: string, now: number): Promise<void>;
  /**
   * Ends an attempt that failed, unless another one has begun since.
   *
   * @param nextAt - When to try again; undefined for a dead letter.
   */
  failed(row: OutboxRow, error: string, nextAt: number | undefined, now: number): Promise<void>;
  /** Lists events that were not received, the oldest first. */
  list(now: number, limit: number): Promise<OutboxRow[]>;
  /** Lists events of every state, the latest first. */
  page(page: OutboxPage, now: number): Promise<OutboxRow[]>;
  /** Makes an event that was not received due now, with all its attempts; false if there is none. */
  resend(id: string, now: number): Promise<boolean>;
  counts(now: number): Promise<OutboxCounts>;
  /** Returns the last attempt with each result; undefined if there was none. */
  lastOutcomes(): Promise<Readonly<Record<'delivered' | 'failed', AttemptOutcome | undefined>>>;
}
