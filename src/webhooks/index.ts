/**
 * Webhooks: sends the events of the outbox to the operator's receiver, signed as the Standard Webhooks specification
 * says, at least once. The store writes the event of a change in the transaction of the change
 * (`src/storage/audit/change-events.ts`); what a node notices by itself, a stale source of roots or many refusals, is
 * added here. `send.ts` makes one signed attempt, `deliverer.ts` decides when, `operate.ts` is what operators
 * see and do. Rules: spec/operations.md#webhooks.
 */
export { createWebhooks, type Webhooks, type WebhooksParts } from './deliverer.ts';
export {
  LATE_MS,
  type ReceiverState,
  readReceiver,
  resendEvent,
  type SentTest,
  sendTestEvent,
} from './operate.ts';
export { type Receiver, receiverOf, type SendOutcome, sendEvent } from './send.ts';
