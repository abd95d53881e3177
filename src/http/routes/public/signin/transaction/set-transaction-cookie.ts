import { basePathOf } from '../../../../../config/values/public-address.ts';
import { transactionCookieName } from './transaction-cookie.ts';

/** The cookie that ties a sign-in to the browser that began it. */
export interface TransactionCookie {
  readonly txn: string;
  /** Its value; empty where it is taken back. */
  readonly cookie: string;
  readonly baseUrl: string;
  /** 0 takes the cookie back. */
  readonly maxAgeSeconds: number;
}

/**
 * The `Set-Cookie` header of a sign-in (spec/sign-in.md#transaction-cookie). `Lax` lets it come with the
 * redirect that leads here from another site; it is sent to the paths of this one sign-in only.
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
