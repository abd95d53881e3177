import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../../errors/index.ts';
import { renderAdminError } from '../../errors/admin.ts';
import type { RateGuard, Route } from '../../exchange/exchange-types.ts';

/** Settings of `GET /metrics`. */
export interface MetricsRouteSettings {
  readonly contentType: string;
  readonly exposition: () => Promise<string>;
  /** Token that callers must send; if undefined, everybody who reaches the listener can read the metrics. */
  readonly requiredToken: string | undefined;
  /** Limits failed attempts per address. */
  readonly failureGuard?: RateGuard | undefined;
}

/** Builds `GET /metrics`, which answers in the Prometheus text format. */
export function metricsRoute(settings: MetricsRouteSettings): Route {
  const { requiredToken, failureGuard } = settings;
  const isAllowed = requiredToken === undefined ? () => true : bearerCheck(requiredToken);
  return {
    method: 'GET',
    path: '/metrics',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    async handler(request) {
      if (!isAllowed(request.headers.get('authorization'))) {
        const decision = await failureGuard?.consume(request.address);
        if (decision?.isAllowed === false) throw new ServiceError('http.rate_limited', undefined, decision);
        throw new ServiceError('http.unauthenticated');
      }
      return {
        status: 200,
        headers: { 'Content-Type': settings.contentType },
        body: await settings.exposition(),
      };
    },
  };
}

function bearerCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = sha256(token);
  return (authorization) => {
    const [, sent] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    // Comparing hashes of equal length leaks neither the length nor a prefix of the token through timing.
    return sent !== undefined && timingSafeEqual(sha256(sent), expected);
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
