import { isObject } from '../../../json.ts';
import { messageOf } from '../../../text.ts';
import { fetchWithRetry } from '../../retry-after.ts';

/** Kind of failure, for code. */
export type WalletFault =
  | 'link' // not a connect link, or a malformed one
  | 'gone' // the bridge does not hold the request: expired, taken, or never there
  | 'key' // the message does not decrypt under the key of the link
  | 'request' // the decrypted request does not have the specified form
  | 'over' // the bridge accepts no answer: expired or already answered
  | 'network'
  | 'answer' // a server sent an answer that its interface does not define
  | 'storage'
  | 'identity' // there is none, or it is not in the tree
  | 'circuit'
  | 'proof';

/** A failure whose message is a sentence for the person at the page; it never contains a secret, key or proof. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly fault: WalletFault;

  constructor(fault: WalletFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Returns the sentence of any failure for the person, including an unexpected one. */
export function messageFor(error: unknown): string {
  if (error instanceof WalletError) return error.message;
  return `Something unforeseen happened: ${messageOf(error)}`;
}

/** Answer of a server. */
export interface Answer {
  readonly status: number;
  /** Parsed JSON body; undefined if the body is not JSON. */
  readonly body: unknown;
}

const TIMEOUT_MS = 20_000;

/**
 * Calls a server, without cookies or referrer. Waits while a rate limit refuses the call.
 *
 * @param body - Sent as JSON if given.
 * @throws WalletError `network` if no answer arrives.
 */
export async function call(method: string, address: string, body?: unknown): Promise<Answer> {
  let status: number;
  let text: string;
  try {
    const sent =
      body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetchWithRetry(() =>
      fetch(address, {
        method,
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...sent,
      }),
    );
    status = response.status;
    text = await response.text();
  } catch (cause) {
    throw new WalletError('network', `${hostOf(address)} could not be reached. Is it running?`, {
      cause,
    });
  }
  return { status, body: parse(text) };
}

/** Returns the status and, if present, code and detail of an error body, in brackets. */
export function explain({ status, body }: Answer): string {
  const { code, detail } = isObject(body) ? body : {};
  const parts = [`status ${status}`, code, detail].filter((part) => typeof part === 'string' && part !== '');
  return `(${parts.join(', ')})`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'The service';
}
