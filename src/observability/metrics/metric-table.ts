import { HTTP_METRICS } from './http-metrics.ts';
import { INTERFACE_METRICS } from './interface-metrics.ts';
import { RESOURCE_METRICS } from './resource-metrics.ts';
import { ROOTS_METRICS } from './roots-metrics.ts';

/** One metric: source of its row in the docs and of its instrument in the registry. */
export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Unit of the value. */
  readonly unit: string;
  /** Meaning, one sentence; the HELP line of the exposition. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram; samples of the engine have other bounds. */
  readonly buckets?: readonly number[];
  /**
   * How the values of a gauge from several threads become one. Default: that of the main thread, or else of the first
   * front end that has one. Counters and histograms are summed.
   */
  readonly threads?: 'sum' | 'min' | 'max';
  /** A typical alert, in PromQL or words. */
  readonly alert: string;
}

/**
 * The list of all metrics. The wire name is `proofgate_` and the key in lower snake case: `verifyRequestsTotal` is
 * `proofgate_verify_requests_total`. Labels are bounded sets, never an id of a client.
 */
export const METRIC_TABLE: typeof HTTP_METRICS &
  typeof INTERFACE_METRICS &
  typeof RESOURCE_METRICS &
  typeof ROOTS_METRICS = { ...HTTP_METRICS, ...INTERFACE_METRICS, ...ROOTS_METRICS, ...RESOURCE_METRICS };

/** Key of the metric table, camelCase of the wire name. */
export type MetricKey = keyof typeof METRIC_TABLE;

/** Prefix of every metric of this service; metrics of the process and its garbage collector have no prefix. */
export const METRIC_PREFIX = 'proofgate_';

/** Returns the wire name of a metric: `proofgate_engine_queue_depth` for `engineQueueDepth`. */
export function metricName(key: MetricKey): string {
  return METRIC_PREFIX + key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
