import type { EventState, OutboxRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Event of the outbox as the admin API and `webhooks list --json` show it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly state: EventState;
  readonly created_at: string;
  readonly attempts: number;
  /** Null unless it waits. */
  readonly next_at: string | null;
  readonly delivered_at: string | null;
  readonly last_error: string | null;
  readonly expires_at: string;
  /** The JSON that is sent. */
  readonly body: unknown;
}

/** Returns the members of an event. */
export function webhookEventJson(row: OutboxRow): ShownEvent {
  const state = row.deliveredAt !== null ? 'delivered' : row.deadAt !== null ? 'dead' : 'pending';
  return {
    ...{ id: row.id, type: row.type, state, created_at: isoTime(row.createdAt), attempts: row.attempts },
    next_at: state === 'pending' ? isoTime(row.nextAt) : null,
    delivered_at: row.deliveredAt === null ? null : isoTime(row.deliveredAt),
    last_error: row.lastError,
    expires_at: isoTime(row.expiresAt),
    body: JSON.parse(row.body) as unknown,
  };
}
