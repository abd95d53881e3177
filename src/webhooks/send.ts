import { webhookKey } from '../config/index.ts';
import type { WebhooksConfig } from '../config/settings/types.ts';
import { describeStatus, post } from '../delivery.ts';
import type { Reach } from '../outgoing.ts';
import { type SignedEvent, signatureHeaders } from './sign.ts';

/** Where events are sent to. */
export interface Receiver {
  readonly url: string;
  /** Keys that sign. */
  readonly keys: readonly Uint8Array[];
  readonly timeoutMs: number;
  readonly reach: Reach;
}

/** Outcome of an attempt. */
export type SendOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** With `isFinal` the receiver wants no further attempt. */
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
 * @param stop - Ends the attempt.
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
