import { renderAdminError } from '../../errors/admin.ts';
import type { Route } from '../../exchange/exchange-types.ts';
import type { RequireCaller } from './require-caller.ts';

/** Settings of `GET /metrics`. */
export interface MetricsRouteSettings {
  readonly contentType: string;
  readonly exposition: () => Promise<string>;
  /** Check of tokens, of either scope; if undefined, anyone with access to the listener can read the metrics. */
  readonly requireCaller: RequireCaller | undefined;
}

/** Builds `GET /metrics`, which answers in the Prometheus text format. */
export function metricsRoute(settings: MetricsRouteSettings): Route {
  return {
    method: 'GET',
    path: '/metrics',
    bodyLimitBytes: 0,
    isAlwaysServed: true,
    headers: { 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    async handler(request) {
      await settings.requireCaller?.(request);
      return {
        status: 200,
        headers: { 'Content-Type': settings.contentType },
        body: await settings.exposition(),
      };
    },
  };
}
