import { randomBytes } from 'node:crypto';
import type { WebhooksConfig } from '../config/settings/types.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { OutboxCounts, OutboxStore } from '../storage/outbox.ts';
import { isoTime, maskedAddress } from '../text.ts';
import { receiverOf, type SendOutcome, sendEvent } from './send.ts';

/** Age from which an undelivered event is reported to operators: about the duration of five attempts. */
export const REPORTED_AFTER_MS = 3_600_000;

/** A test event that was sent. */
export interface SentTest {
  readonly id: string;
  readonly outcome: SendOutcome;
}

/** Receiver of the settings, with the state of its events. Times are milliseconds since the epoch. */
export interface ReceiverState extends OutboxCounts {
  /** Masked address of the receiver, see `maskedAddress`. */
  readonly address: string;
  /** `failing`: the last attempt failed; `unused`: no attempt is known. */
  readonly state: 'receiving' | 'failing' | 'unused';
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** Reason of the last failed attempt. */
  readonly lastError: string | null;
}

/** Returns the state of the receiver; undefined while webhooks are off. */
export async function readReceiver(
  { url }: Pick<WebhooksConfig, 'url'>,
  outbox: Pick<OutboxStore, 'counts' | 'lastOutcomes'>,
  now: number,
): Promise<ReceiverState | undefined> {
  if (url === undefined) return undefined;
  const [counts, { delivered, failed }] = await Promise.all([outbox.counts(now), outbox.lastOutcomes()]);
  const isFailing = failed !== undefined && failed.at >= (delivered?.at ?? 0);
  return {
    ...counts,
    address: maskedAddress(url),
    state: isFailing ? 'failing' : delivered === undefined ? 'unused' : 'receiving',
    lastSuccessAt: delivered?.at ?? null,
    lastFailureAt: failed?.at ?? null,
    lastError: failed?.reason ?? null,
  };
}

/**
 * Sends an event of type `webhook.test` to the receiver of the settings: one attempt, without the outbox.
 *
 * @param now - Time of the event, in milliseconds since the epoch.
 * @throws ServiceError `webhook.off`
 */
export async function sendTestEvent(config: WebhooksConfig, now: number): Promise<SentTest> {
  const receiver = receiverOf(config);
  if (receiver === undefined) throw new ServiceError('webhook.off', 'webhooks.url is not set');
  const id = `msg_${randomBytes(18).toString('base64url')}`;
  const body = JSON.stringify({ type: 'webhook.test', timestamp: isoTime(now), data: {} });
  return { id, outcome: await sendEvent(receiver, { id, body }, now) };
}

/**
 * Makes an undelivered event due again, with all attempts.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `webhook.unknown`
 */
export async function resendEvent(
  outbox: Pick<OutboxStore, 'resend'>,
  id: string,
  now: number,
): Promise<void> {
  if (await outbox.resend(id, now)) return;
  throw new ServiceError('webhook.unknown', `no event ${JSON.stringify(id)} waits to be received`);
}
