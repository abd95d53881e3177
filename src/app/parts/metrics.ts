import type { Config } from '../../config/settings/types.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import { buildVersion } from '../../version.ts';
import type { Part } from '../lifecycle.ts';

/** Returns the metrics of the process as a part, with the build and the settings that are limits of other metrics. */
export function metricsPart(
  metrics: Pick<Metrics, 'close'>,
  { profile, engine, http }: Pick<Config, 'profile' | 'engine' | 'http'>,
): Part {
  return {
    name: 'metrics',
    stop: () => metrics.close(),
    metrics({ buildInfo, limit }) {
      buildInfo.set({ version: buildVersion(), node: process.versions.node, profile }, 1);
      limit.set({ setting: 'engine.maxQueue' }, engine.maxQueue);
      limit.set({ setting: 'http.maxOpenExchanges' }, http.maxOpenExchanges);
      limit.set({ setting: 'http.maxUnfinished' }, http.maxUnfinished);
      limit.set({ setting: 'http.maxBodyBytes' }, http.maxBodyBytes);
    },
  };
}
