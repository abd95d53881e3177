import { messageOf } from '../../../text.ts';

/** What went wrong, as a machine tells it apart. */
export type WalletFault =
  | 'link' // not a connect link, or a broken one
  | 'gone' // the bridge does not hold the request: expired, taken, or never there
  | 'key' // the message does not decrypt under the key of the link
  | 'request' // the decrypted request has not the specified form
  | 'over' // the bridge takes no answer: expired or already answered
  | 'network'
  | 'answer' // a server answered something that its interface does not know
  | 'storage'
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

/** The sentence of a failure, also where it was not foreseen. */
export function inWords(error: unknown): string {
  if (error instanceof WalletError) return error.message;
  return `Something unforeseen happened: ${messageOf(error)}`;
}
