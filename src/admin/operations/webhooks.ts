import { ServiceError } from '../../errors/index.ts';
import { EVENT_STATES } from '../../storage/index.ts';
import { isoTime, maskedAddress } from '../../text.ts';
import { type ReceiverState, readReceiver, resendEvent, sendTestEvent } from '../../webhooks/index.ts';
import { webhookEventJson } from '../forms/index.ts';
import type { Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  COUNT,
  listOf,
  OPTIONAL_COUNT,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectSchema,
  TIME,
  textOf,
} from './schemas.ts';

const TAG = 'Webhooks';
const RESENDS_PER_MINUTE = 30;
const TESTS_PER_MINUTE = 6;
/** Share of the time limit of a request within which a test must end, so that its outcome is the answer. */
const TEST_SHARE = 0.9;

const RECEIVER = objectSchema({
  address: { type: 'string', description: 'Origin of webhooks.url; its path and query are not shown.' },
  state: {
    ...{ type: 'string', enum: ['receiving', 'failing', 'unused'] },
    description: 'Whether the last attempt was received; `unused`: no attempt is known.',
  },
  last_success_at: OPTIONAL_TIME,
  last_failure_at: OPTIONAL_TIME,
  last_error: { ...OPTIONAL_TEXT, description: 'Why the last failed attempt failed.' },
  pending: { ...COUNT, description: 'Events that wait for an attempt.' },
  dead: { ...COUNT, description: 'Events that were given up.' },
  oldest_pending_at: { ...OPTIONAL_TIME, description: 'When the oldest event that waits was written.' },
});

const EVENT = objectSchema({
  ...{ id: { type: 'string' }, type: { type: 'string' }, state: { type: 'string', enum: EVENT_STATES } },
  created_at: TIME,
  attempts: { ...COUNT, description: 'Since the event was written or sent again.' },
  next_at: { ...OPTIONAL_TIME, description: 'When the next attempt may begin; null unless it waits.' },
  ...{ delivered_at: OPTIONAL_TIME, last_error: OPTIONAL_TEXT, expires_at: TIME },
  body: { type: 'object', description: 'What is sent.' },
});

/** Operations of webhooks. The receiver is that of the settings: no request can name another one. */
export const WEBHOOK_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listWebhooks', method: 'GET', path: '/webhooks', scope: 'read', tag: TAG },
    summary: 'Lists the receivers of events: that of webhooks.url, or none while webhooks are off.',
    description: 'Attempts are those of all nodes, without tests.',
    response: {
      status: 200,
      description: 'The receivers.',
      schema: objectSchema({ items: listOf(RECEIVER) }),
    },
    errors: [],
    example: {},
    async run({ config, now }, { store }) {
      const receiver = await readReceiver(config.webhooks, store.outbox, now());
      return { status: 200, body: { items: receiver === undefined ? [] : [receiverJson(receiver)] } };
    },
  },
  {
    ...{ id: 'listWebhookEvents', method: 'GET', path: '/webhooks/events', scope: 'read', tag: TAG },
    summary: 'Lists events, the latest first.',
    description: 'One that was received is listed for a day, another one for 30 days.',
    query: { ...PAGE_QUERY, state: { type: 'string', enum: EVENT_STATES } },
    response: { status: 200, description: 'A page of events.', schema: pageSchema(EVENT) },
    errors: [],
    example: { query: { state: 'dead' } },
    async run({ now }, request) {
      const { limit, after } = readPage(request, ['number', 'string']);
      const state = EVENT_STATES.find((name) => name === request.query.state);
      const place = after && { createdAt: Number(after[0]), id: String(after[1]) };
      const rows = await request.store.outbox.page({ state, limit: limit + 1, after: place }, now());
      return pageOf(rows, limit, webhookEventJson, ({ createdAt, id }) => [createdAt, id]);
    },
  },
  {
    ...{ id: 'resendWebhookEvent', method: 'POST', path: '/webhooks/events/{id}/resend', scope: 'write' },
    tag: TAG,
    summary: 'Sends an event again that was not received, with all its attempts.',
    description: 'A node begins within seconds.',
    params: { id: textOf(64) },
    perMinute: RESENDS_PER_MINUTE,
    response: { status: 204, description: 'The event is due.' },
    errors: ['webhook.off', 'webhook.unknown'],
    example: { params: { id: 'msg_0123456789abcdefghijklmn' } },
    async run({ config, now }, { params, store }) {
      if (config.webhooks.url === undefined) throw new ServiceError('webhook.off', 'webhooks.url is not set');
      await resendEvent(store.outbox, params.id ?? '', now());
      return { status: 204 };
    },
  },
  {
    ...{ id: 'testWebhook', method: 'POST', path: '/webhooks/test', scope: 'write', tag: TAG },
    summary: 'Sends an event of type webhook.test now, and returns what came of it.',
    description: 'One attempt by the node that answers. A redirect is not followed.',
    body: objectSchema({}),
    perMinute: TESTS_PER_MINUTE,
    response: {
      status: 200,
      description: 'The outcome.',
      schema: objectSchema({
        ...{ id: { type: 'string' }, received: { type: 'boolean' } },
        status: { ...OPTIONAL_COUNT, description: 'Of the answer; null if it was not received.' },
        reason: { ...OPTIONAL_TEXT, description: 'Why it was not received.' },
      }),
    },
    errors: ['webhook.off'],
    example: { body: {} },
    async run({ config, now }, { store }) {
      const { url, timeoutMs } = config.webhooks;
      if (url === undefined) throw new ServiceError('webhook.off', 'webhooks.url is not set');
      // Before the attempt, which is then known even if this process ends in it.
      await store.audit.record({ action: 'webhook.tested', target: maskedAddress(url) });
      const limitMs = Math.min(timeoutMs, Math.floor(config.http.handlerTimeoutMs * TEST_SHARE));
      const { id, outcome } = await sendTestEvent({ ...config.webhooks, timeoutMs: limitMs }, now());
      const isReceived = outcome.kind === 'delivered';
      return {
        status: 200,
        body: {
          ...{ id, received: isReceived, status: isReceived ? outcome.status : null },
          reason: outcome.kind === 'failed' ? outcome.reason : null,
        },
      };
    },
  },
];

function receiverJson(receiver: ReceiverState): unknown {
  const { address, state, lastSuccessAt, lastFailureAt, lastError, pending, dead, oldestPendingAt } =
    receiver;
  const timeOf = (time: number | null): string | null => (time === null ? null : isoTime(time));
  return {
    ...{ address, state, last_success_at: timeOf(lastSuccessAt), last_failure_at: timeOf(lastFailureAt) },
    ...{ last_error: lastError, pending, dead, oldest_pending_at: timeOf(oldestPendingAt) },
  };
}
