import { readCookie } from '../../../../headers/read-cookie.ts';

const NAME_DIGITS = 16;

/**
 * Returns the name of the cookie of a transaction (spec/sign-in.md#transaction-cookie). Each transaction has
 * its own, so that any number of tabs can sign in at the same time.
 */
export function transactionCookieName(txn: string): string {
  return `pg_txn_${txn.slice(0, NAME_DIGITS)}`;
}

/** Reads the cookie of a transaction from a `Cookie` header; undefined if it is missing or malformed. */
export function readTransactionCookie(header: string | undefined, txn: string): string | undefined {
  return readCookie(header, transactionCookieName(txn));
}
