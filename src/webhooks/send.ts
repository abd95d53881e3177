import { withTimeLimit } from '../bounded-body.ts';
import { webhookKey } from '../config/index.ts';
import type { WebhooksConfig } from '../config/settings/types.ts';
import { VERSION } from '../version.ts';
import { type SignedEvent, signatureHeaders } from './sign.ts';

/** Where events are sent to. */
export interface Receiver {
  readonly url: string;
  /** Keys that sign. */
  readonly keys: readonly Uint8Array[];
  readonly timeoutMs: number;
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
export function receiverOf({ url, secret, secretPrevious, timeoutMs }: WebhooksConfig): Receiver | undefined {
  if (url === undefined) return undefined;
  const keys = [secret, secretPrevious].flatMap((text) => {
    const key = text === undefined ? undefined : webhookKey(text);
    return key === undefined ? [] : [key];
  });
  return { url, keys, timeoutMs };
}

/**
 * Makes one attempt. Only the status of the answer counts; its body is not read, and a redirect is not followed.
 *
 * @param at - Time of the attempt, in milliseconds since the epoch.
 * @param stop - Ends the attempt.
 */
export async function sendEvent(
  { url, keys, timeoutMs }: Receiver,
  event: SignedEvent,
  at: number,
  stop?: AbortSignal,
): Promise<SendOutcome> {
  let isLate = false;
  try {
    const status = await withTimeLimit(timeoutMs, stop, async (limit) => {
      limit.addEventListener('abort', () => {
        isLate = true;
      });
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: limit,
        headers: {
          'content-type': 'application/json',
          'user-agent': `proofgate/${VERSION}`,
          ...signatureHeaders(event, keys, at),
        },
        body: event.body,
      });
      await response.body?.cancel();
      return response.status;
    });
    if (status >= 200 && status < 300) return { kind: 'delivered', status };
    const note = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
    return { kind: 'failed', reason: `the receiver answered ${status}${note}`, isFinal: status === GONE };
  } catch (error) {
    if (stop?.aborted === true) return { kind: 'stopped' };
    const reason = isLate ? `no answer within ${timeoutMs} ms` : `no answer: ${causeOf(error)}`;
    return { kind: 'failed', reason, isFinal: false };
  }
}

/** Returns the code of the cause of a failed fetch, for example ECONNREFUSED; its message may hold the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the connection failed';
}
