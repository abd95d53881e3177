import { messageOf } from '../../../text.ts';

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

/** A failure whose message is a sentence for the person at the page; it never holds a secret, key or proof. */
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
