// Any base64url value; anything else is a cookie of another program, or damaged.
const VALUE = /^[A-Za-z0-9_-]{1,128}$/;
const NAME_DIGITS = 16;

/**
 * Returns the name of the cookie of a transaction (spec/sign-in.md#transaction-cookie). Each transaction has
 * its own, so that any number of tabs can sign in at the same time.
 */
export function transactionCookieName(txn: string): string {
  return `pg_txn_${txn.slice(0, NAME_DIGITS)}`;
}

/**
 * Reads the cookie of a transaction from a `Cookie` header; undefined if it is missing or malformed. Other
 * cookies may have any form.
 */
export function readTransactionCookie(header: string | undefined, txn: string): string | undefined {
  const wanted = transactionCookieName(txn);
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0 || part.slice(0, equals).trim() !== wanted) continue;
    const value = part.slice(equals + 1).trim();
    return VALUE.test(value) ? value : undefined;
  }
  return undefined;
}
