import { isServiceError } from '../../../../../errors/service-error.ts';
import type { HttpRequest, RateGuard } from '../../../../exchange/exchange-types.ts';
import { type FailureGuard, refuseLimited } from '../../../../limits/rate-limit.ts';
import type { KnownSet } from '../../../../limits/shared/known-set.ts';
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

/**
 * Creates the guard. Calls with the right cookie are counted per sign-in, all others per address; beyond that limit,
 * calls of an address no longer read the store. A page whose cookie was right before, at the latest when it was
 * rendered, is not affected by others behind its address.
 *
 * @param pages - Pages whose cookie was right.
 */
export function createStatusGuard({ perSignIn, failures }: StatusLimits, pages: KnownSet): StatusGuard {
  return {
    async serve(request, call) {
      const { txn = '' } = request.params;
      const page = pageOf(request);
      const isKnown = page !== undefined && pages.has(page);
      if (isKnown) refuseLimited(perSignIn?.consume(txn));
      else refuseLimited(failures?.check(request.addressKey));
      try {
        const answer = await call();
        if (page !== undefined) pages.add(page);
        if (!isKnown) perSignIn?.consume(txn);
        return answer;
      } catch (error) {
        if (isServiceError(error, 'transaction.not_found')) {
          if (page !== undefined) pages.delete(page);
          failures?.count(request.addressKey);
        }
        throw error;
      }
    },
    admitted(request) {
      const page = pageOf(request);
      if (page !== undefined) pages.add(page);
    },
  };
}

/** Returns the text by which a page is known, of which only a keyed hash stays in memory. */
function pageOf({ params, headers }: SignInRequest): string | undefined {
  const { txn = '' } = params;
  const cookie = readTransactionCookie(headers.get('cookie'), txn);
  return cookie === undefined ? undefined : `${txn} ${cookie}`;
}
