import { rateLimitKey } from '../../../addresses.ts';
import type { AdminCaller, Authenticate } from '../../../admin/admin-tokens.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { HttpRequest } from '../../exchange/exchange-types.ts';
import type { FailureGuard } from '../../limits/rate-limit.ts';

/** Returns the owner of the token of a request. @throws ServiceError `http.unauthenticated`, `http.rate_limited` */
export type RequireCaller = (request: Pick<HttpRequest, 'headers' | 'address'>) => Promise<AdminCaller>;

const MAX_WAIT_MS = 5000;
/** Requests of an address that wait at the same time; others are refused at once, even with a valid token. */
const MAX_WAITING = 8;

/**
 * Creates the check of the token of a request.
 *
 * An address with too many failures is not locked out, since an operator may share it with a program that has a wrong
 * token. Its requests are delayed, equally for valid and invalid tokens, which limits the rate of guesses.
 *
 * @param failures - Limits requests without a valid token per address; undefined for no limit.
 */
export function createRequireCaller(
  authenticate: Authenticate,
  failures: FailureGuard | undefined,
): RequireCaller {
  const waiting = new Map<string, number>();

  /** Delays a request; returns false at once if too many requests of its address are waiting. */
  async function waitFor(address: string, milliseconds: number): Promise<boolean> {
    const key = rateLimitKey(address);
    const others = waiting.get(key) ?? 0;
    if (others >= MAX_WAITING) return false;
    waiting.set(key, others + 1);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const left = (waiting.get(key) ?? 1) - 1;
    if (left === 0) waiting.delete(key);
    else waiting.set(key, left);
    return true;
  }

  return async ({ headers, address }) => {
    const caller = await authenticate(headers.get('authorization'));
    const decision = caller === undefined ? failures?.count(address) : failures?.check(address);
    if (decision?.isAllowed === false) {
      const waitMs = Math.min(MAX_WAIT_MS, decision.retryAfterSeconds * 1000);
      const hasWaited = await waitFor(address, waitMs);
      if (caller === undefined || !hasWaited) {
        throw new ServiceError('http.rate_limited', undefined, decision);
      }
    }
    if (caller === undefined) throw new ServiceError('http.unauthenticated');
    return caller;
  };
}
