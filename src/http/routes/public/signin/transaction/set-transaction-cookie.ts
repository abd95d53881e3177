import { basePathOf } from '../../../../../config/values/public-address.ts';
import { transactionCookieName } from './transaction-cookie.ts';

/** Cookie that ties a sign-in to the browser that began it. */
export interface TransactionCookie {
  readonly txn: string;
  /** Value of the cookie; empty to delete it. */
  readonly cookie: string;
  readonly baseUrl: string;
  /** Lifetime; 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
}

/**
 * Returns the `Set-Cookie` header of a sign-in (spec/sign-in.md#transaction-cookie). With `Lax` it is also
 * sent on redirects from another site; its path limits it to this one sign-in.
 */
export function setTransactionCookie({ txn, cookie, baseUrl, maxAgeSeconds }: TransactionCookie): string {
  const attributes = [
    `${transactionCookieName(txn)}=${cookie}`,
    `Path=${basePathOf(baseUrl)}/authorize/${txn}`,
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
  ];
  return attributes.join('; ');
}
