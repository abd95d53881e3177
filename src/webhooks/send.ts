import { createHmac } from 'node:crypto';
import type { WebhooksConfig } from '../config/settings/types.ts';
import { webhookKey } from '../config/settings/webhook-settings.ts';
import { describeStatus, post } from '../delivery.ts';
import type { Reach } from '../outgoing.ts';

/** The signed parts of an event. */
export interface SignedEvent {
  /** Id of the event. */
  readonly id: string;
  /** JSON text, sent unchanged. */
  readonly body: string;
}

/**
 * Returns the headers of an attempt.
 *
 * @param keys - At least one; each makes one signature.
 * @param at - Time of the attempt, in milliseconds since the epoch.
 * @see Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  { id, body }: SignedEvent,
  keys: readonly Uint8Array[],
  at: number,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${mac}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Destination of events. */
export interface Receiver {
  readonly url: string;
  /** Signing keys. */
  readonly keys: readonly Uint8Array[];
  readonly timeoutMs: number;
  readonly reach: Reach;
}

/** Outcome of an attempt. */
export type SendOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** If `isFinal`, the receiver wants no further attempt. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal: boolean }
  /** The service stopped before the answer. */
  | { readonly kind: 'stopped' };

const GONE = 410;

/** Returns the receiver of the settings; undefined while webhooks are off. */
export function receiverOf(config: WebhooksConfig): Receiver | undefined {
  const { url, secret, secretPrevious, timeoutMs, allowLocal } = config;
  if (url === undefined) return undefined;
  const keys = [secret, secretPrevious].flatMap((text) => {
    const key = text === undefined ? undefined : webhookKey(text);
    return key === undefined ? [] : [key];
  });
  return { url, keys, timeoutMs, reach: allowLocal ? 'any' : 'remote' };
}

/**
 * Makes one attempt.
 *
 * @param at - Time of the attempt, in milliseconds since the epoch.
 * @param stop - Aborts the attempt.
 */
export async function sendEvent(
  { url, keys, timeoutMs, reach }: Receiver,
  event: SignedEvent,
  at: number,
  stop?: AbortSignal,
): Promise<SendOutcome> {
  const headers = { 'content-type': 'application/json', ...signatureHeaders(event, keys, at) };
  const outcome = await post({ url, reach, headers, body: event.body, timeoutMs }, stop);
  if (outcome.kind === 'stopped') return outcome;
  if (outcome.kind === 'unanswered') return { kind: 'failed', reason: outcome.reason, isFinal: false };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return { kind: 'failed', reason: describeStatus(status), isFinal: status === GONE };
}
