import type { Authenticate } from '../../../admin/index.ts';
import { renderAdminError } from '../../errors/admin.ts';
import type { RateGuard, Route } from '../../exchange/exchange-types.ts';
import { requireCaller } from './require-caller.ts';

/** Settings of `GET /metrics`. */
export interface MetricsRouteSettings {
  readonly contentType: string;
  readonly exposition: () => Promise<string>;
  /** Check of tokens, of either scope; if undefined, everybody who reaches the listener can read the metrics. */
  readonly authenticate: Authenticate | undefined;
  /** Limits failed attempts per address. */
  readonly failureGuard?: RateGuard | undefined;
}

/** Builds `GET /metrics`, which answers in the Prometheus text format. */
export function metricsRoute(settings: MetricsRouteSettings): Route {
  const { authenticate, failureGuard } = settings;
  return {
    method: 'GET',
    path: '/metrics',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    async handler(request) {
      if (authenticate !== undefined) await requireCaller(request, authenticate, failureGuard);
      return {
        status: 200,
        headers: { 'Content-Type': settings.contentType },
        body: await settings.exposition(),
      };
    },
  };
}
