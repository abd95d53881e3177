import type { AdminCaller, Authenticate } from '../../../admin/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { HttpRequest, RateGuard } from '../../exchange/exchange-types.ts';

/**
 * Returns whose token a request has.
 *
 * @param failureGuard - Limits requests without a valid token per address.
 * @throws ServiceError `http.unauthenticated`, `http.rate_limited`
 */
export async function requireCaller(
  { headers, address }: Pick<HttpRequest, 'headers' | 'address'>,
  authenticate: Authenticate,
  failureGuard: RateGuard | undefined,
): Promise<AdminCaller> {
  const caller = await authenticate(headers.get('authorization'));
  if (caller !== undefined) return caller;
  const decision = await failureGuard?.consume(address);
  if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
  throw new ServiceError('http.unauthenticated');
}
