// All that a base64url value can hold; anything else is another program's cookie, or damaged.
const VALUE = /^[A-Za-z0-9_-]{1,128}$/;
const NAME_DIGITS = 16;

/**
 * Name of the cookie of a transaction (spec/sign-in.md#transaction-cookie): one each, so that any number of
 * tabs work side by side.
 */
export function transactionCookieName(txn: string): string {
  return `pg_txn_${txn.slice(0, NAME_DIGITS)}`;
}

/**
 * The cookie of a transaction among those of a `Cookie` header; undefined when it is not there or not well-formed.
 * Other cookies may be anything.
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
