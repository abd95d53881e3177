import type { OutputOf } from './client.ts';

/** The admin token of this tab. Only `sessionStorage` has it: it ends with the tab and no request sends it by itself. */

const KEY = 'proofgate.admin-token';

/** Returns the token; null if none was typed. */
export function readToken(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Keeps the token until the tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Forgets the token. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

/** Owner of the token. */
export type Caller = OutputOf<'GET /tokens/self'>;
