import { ServiceError } from '../errors/service-error.ts';
import type { Typed, TypeOf } from '../json.ts';
import { EVENT_STATES, type OutboxRow } from '../storage/outbox.ts';
import { isoTime, maskedAddress } from '../text.ts';
import { type ReceiverState, readReceiver, resendEvent, sendTestEvent } from '../webhooks/operate.ts';
import { operation, operations } from './operation.ts';
import { orderSchema, PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  FLAG,
  listOf,
  NOTHING,
  OPTIONAL_COUNT,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TEXT,
  TIME,
  textOf,
} from './schemas.ts';

const RESENDS_PER_MINUTE = 30;
const TESTS_PER_MINUTE = 6;
/** Share of the time limit of a request within which a test must end, so that its outcome is the answer. */
const TEST_SHARE = 0.9;

const RECEIVER = objectSchema({
  address: { ...TEXT, description: 'Origin of webhooks.url; its path and query are not shown.' },
  state: {
    type: 'string',
    enum: ['receiving', 'failing', 'unused'],
    description: 'Whether the last attempt was received; `unused`: no attempt is known.',
  },
  last_success_at: OPTIONAL_TIME,
  last_failure_at: OPTIONAL_TIME,
  last_error: { ...OPTIONAL_TEXT, description: 'Why the last failed attempt failed.' },
  pending: { ...COUNT, description: 'Events that wait for an attempt.' },
  dead: { ...COUNT, description: 'Events that were given up.' },
  oldest_pending_at: { ...OPTIONAL_TIME, description: 'When the oldest event that waits was written.' },
});

/** JSON of an event, as sent. */
const EVENT_BODY: Typed<{ readonly data: Readonly<Record<string, unknown>> }> = {
  type: 'object',
  description: 'What is sent.',
};

const EVENT = objectSchema({
  id: TEXT,
  type: TEXT,
  state: { type: 'string', enum: EVENT_STATES },
  created_at: TIME,
  attempts: { ...COUNT, description: 'Since the event was written or sent again.' },
  next_at: { ...OPTIONAL_TIME, description: 'When the next attempt may begin; null unless it waits.' },
  delivered_at: OPTIONAL_TIME,
  last_error: OPTIONAL_TEXT,
  expires_at: TIME,
  body: EVENT_BODY,
});

/** Operations of webhooks. The receiver is that of the settings: no request can name another one. */
export const WEBHOOK_OPERATIONS = operations('Webhooks', {
  listWebhooks: operation({
    at: 'GET /webhooks',
    scope: 'read',
    summary: 'Lists the receivers of events: that of webhooks.url, or none while webhooks are off.',
    description: 'Attempts are those of all nodes, without tests.',
    input: NOTHING,
    output: objectSchema({ items: listOf(RECEIVER) }),
    answer: 'The receivers.',
    async run({ config, now }, _input, { store }) {
      const receiver = await readReceiver(config.webhooks, store.outbox, now());
      return { items: receiver === undefined ? [] : [receiverJson(receiver)] };
    },
  }),
  listWebhookEvents: operation({
    at: 'GET /webhooks/events',
    scope: 'read',
    summary: 'Lists events.',
    description: 'One that was received is listed for a day, another one for 30 days.',
    input: objectSchema(
      {
        ...PAGE_QUERY,
        state: { type: 'string', enum: EVENT_STATES },
        order: orderSchema('newest', 'Which events come first.'),
      },
      [...(['limit', 'cursor', 'state', 'order'] as const)],
    ),
    output: pageSchema(EVENT),
    answer: 'A page of events.',
    example: { state: 'dead' },
    async run({ now }, { state, order, ...page }, { store }) {
      const { limit, after } = readPage(page, ['number', 'string']);
      const place = after && { createdAt: Number(after[0]), id: String(after[1]) };
      const rows = await store.outbox.page({ state, limit: limit + 1, after: place, order }, now());
      return pageOf(rows, limit, eventJson, ({ createdAt, id }) => [createdAt, id]);
    },
  }),
  resendWebhookEvent: operation({
    at: 'POST /webhooks/events/{id}/resend',
    scope: 'write',
    summary: 'Sends an event again that was not received, with all its attempts.',
    description: 'A node begins within seconds.',
    input: objectSchema({ id: textOf(64) }),
    answer: 'The event is due.',
    perMinute: RESENDS_PER_MINUTE,
    errors: ['webhook.off', 'webhook.unknown'],
    example: { id: 'msg_0123456789abcdefghijklmn' },
    async run({ config, now }, { id }, { store }) {
      if (config.webhooks.url === undefined) throw new ServiceError('webhook.off', 'webhooks.url is not set');
      await resendEvent(store.outbox, id, now());
    },
  }),
  testWebhook: operation({
    at: 'POST /webhooks/test',
    scope: 'write',
    summary: 'Sends an event of type webhook.test now, and returns what came of it.',
    description: 'One attempt by the node that answers. A redirect is not followed.',
    input: NOTHING,
    output: objectSchema({
      id: TEXT,
      received: FLAG,
      status: { ...OPTIONAL_COUNT, description: 'Of the answer; null if it was not received.' },
      reason: { ...OPTIONAL_TEXT, description: 'Why it was not received.' },
    }),
    answer: 'The outcome.',
    perMinute: TESTS_PER_MINUTE,
    errors: ['webhook.off'],
    async run({ config, now }, _input, { store }) {
      const { url, timeoutMs } = config.webhooks;
      if (url === undefined) throw new ServiceError('webhook.off', 'webhooks.url is not set');
      // Before the attempt, which is then known even if this process ends in it.
      await store.audit.record({ action: 'webhook.tested', target: maskedAddress(url) });
      const limitMs = Math.min(timeoutMs, Math.floor(config.http.handlerTimeoutMs * TEST_SHARE));
      const { id, outcome } = await sendTestEvent({ ...config.webhooks, timeoutMs: limitMs }, now());
      const isReceived = outcome.kind === 'delivered';
      return {
        id,
        received: isReceived,
        status: isReceived ? outcome.status : null,
        reason: outcome.kind === 'failed' ? outcome.reason : null,
      };
    },
  }),
});

function receiverJson(receiver: ReceiverState): TypeOf<typeof RECEIVER> {
  const { address, state, lastSuccessAt, lastFailureAt, lastError, pending, dead, oldestPendingAt } =
    receiver;
  const timeOf = (time: number | null): string | null => (time === null ? null : isoTime(time));
  return {
    address,
    state,
    last_success_at: timeOf(lastSuccessAt),
    last_failure_at: timeOf(lastFailureAt),
    last_error: lastError,
    pending,
    dead,
    oldest_pending_at: timeOf(oldestPendingAt),
  };
}

function eventJson(row: OutboxRow): TypeOf<typeof EVENT> {
  const state = row.deliveredAt !== null ? 'delivered' : row.deadAt !== null ? 'dead' : 'pending';
  return {
    id: row.id,
    type: row.type,
    state,
    created_at: isoTime(row.createdAt),
    attempts: row.attempts,
    next_at: state === 'pending' ? isoTime(row.nextAt) : null,
    delivered_at: row.deliveredAt === null ? null : isoTime(row.deliveredAt),
    last_error: row.lastError,
    expires_at: isoTime(row.expiresAt),
    body: JSON.parse(row.body),
  };
}
