import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isServiceError, ServiceError } from '../../../../../errors/index.ts';
import type { HttpRequest, RateDecision, RateGuard } from '../../../../exchange/exchange-types.ts';
import type { FailureGuard } from '../../../../limits/rate-limit.ts';
import { readTransactionCookie } from './transaction-cookie.ts';

/** The limits of `…/status` beside that of an address; each is absent when its setting is 0. */
export interface StatusLimits {
  /** `rateLimits.status`: calls of one sign-in. */
  readonly perSignIn?: RateGuard | undefined;
  /** `rateLimits.statusFailures`: calls of an address without the cookie of a sign-in. */
  readonly failures?: FailureGuard | undefined;
}

/** A request for a sign-in: its path names one, and its cookie shows whose it is. */
type SignInRequest = Pick<HttpRequest, 'params' | 'headers' | 'addressKey'>;

/** Limits how often the status is asked for, without limiting how many pages there are behind one address. */
export interface StatusGuard {
  /** Serves a call of `…/status`. @throws ServiceError `http.rate_limited` */
  serve<T>(request: SignInRequest, call: () => Promise<T>): Promise<T>;
  /** Notes that the cookie of a request was that of its sign-in. */
  admitted(request: SignInRequest): void;
}

/** Pages that are remembered; the one that was not seen for longest is forgotten first. */
const MAX_PAGES = 50_000;

/**
 * Makes the guard. Calls with the right cookie are counted by sign-in, and the others by address: whoever has used those
 * up costs no read of the store any more. Pages that showed their cookie before, when they were drawn at the latest,
 * are not held up by others behind their address.
 */
export function createStatusGuard({ perSignIn, failures }: StatusLimits): StatusGuard {
  const pages = new LRUCache<string, true>({ max: MAX_PAGES });

  return {
    async serve(request, call) {
      const { txn = '' } = request.params;
      const page = pageOf(request);
      const isKnown = page !== undefined && pages.has(page);
      if (isKnown) refuse(await perSignIn?.consume(txn));
      else refuse(await failures?.check(request.addressKey));
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

/** What a page is remembered by; not the cookie itself, which would lie in memory for long. */
function pageOf({ params, headers }: SignInRequest): string | undefined {
  const { txn = '' } = params;
  const cookie = readTransactionCookie(headers.get('cookie'), txn);
  if (cookie === undefined) return undefined;
  return createHash('sha256').update(txn).update('\0').update(cookie).digest('base64');
}

function refuse(decision: RateDecision | undefined): void {
  if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
}
