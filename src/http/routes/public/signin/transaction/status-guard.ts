import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isServiceError } from '../../../../../errors/service-error.ts';
import type { HttpRequest, RateGuard } from '../../../../exchange/exchange-types.ts';
import { type FailureGuard, refuseLimited } from '../../../../limits/rate-limit.ts';
import { readTransactionCookie } from '../cookies.ts';

/** Limits of `…/status` in addition to that per address; each is absent if its setting is 0. */
export interface StatusLimits {
  /** `rateLimits.status`: calls of one sign-in. */
  readonly perSignIn?: RateGuard | undefined;
  /** `rateLimits.statusFailures`: calls of an address without the cookie of the sign-in. */
  readonly failures?: FailureGuard | undefined;
}

/** A request with a sign-in in its path and, if it belongs to it, the cookie of the sign-in. */
type SignInRequest = Pick<HttpRequest, 'params' | 'headers' | 'addressKey'>;

/** Limits how often the status is polled, without limiting the number of pages behind one address. */
export interface StatusGuard {
  /** Serves a call of `…/status`. @throws ServiceError `http.rate_limited` */
  serve<T>(request: SignInRequest, call: () => Promise<T>): Promise<T>;
  /** Records that a request had the right cookie of its sign-in. */
  admitted(request: SignInRequest): void;
}

/** Size of the LRU cache of known pages. */
const MAX_PAGES = 50_000;

/**
 * Creates the guard. Calls with the right cookie are counted per sign-in, all others per address; beyond that limit,
 * calls of an address no longer read the store. A page whose cookie was right before, at the latest when it was
 * rendered, is not affected by others behind its address.
 */
export function createStatusGuard({ perSignIn, failures }: StatusLimits): StatusGuard {
  // With `max` the library would allocate memory for all pages at once, which takes 10 ms at each start.
  const pages = new LRUCache<string, true>({ maxSize: MAX_PAGES, sizeCalculation: () => 1 });

  return {
    async serve(request, call) {
      const { txn = '' } = request.params;
      const page = pageOf(request);
      const isKnown = page !== undefined && pages.has(page);
      if (isKnown) refuseLimited(await perSignIn?.consume(txn));
      else refuseLimited(await failures?.check(request.addressKey));
      try {
        const answer = await call();
        if (page !== undefined) pages.set(page, true);
        if (!isKnown) await perSignIn?.consume(txn);
        return answer;
      } catch (error) {
        if (isServiceError(error, 'transaction.not_found')) {
          if (page !== undefined) pages.delete(page);
          await failures?.count(request.addressKey);
        }
        throw error;
      }
    },
    admitted(request) {
      const page = pageOf(request);
      if (page !== undefined) pages.set(page, true);
    },
  };
}

/** Returns the cache key of a page; a hash, so that the cookie itself does not stay in memory. */
function pageOf({ params, headers }: SignInRequest): string | undefined {
  const { txn = '' } = params;
  const cookie = readTransactionCookie(headers.get('cookie'), txn);
  if (cookie === undefined) return undefined;
  return createHash('sha256').update(txn).update('\0').update(cookie).digest('base64');
}
