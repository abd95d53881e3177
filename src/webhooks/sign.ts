import { createHmac } from 'node:crypto';

/** What is signed. */
export interface SignedEvent {
  /** Id of the event. */
  readonly id: string;
  /** JSON text, sent as it is. */
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
