/**
 * Observability of the service: log lines (`log.ts`), metrics (`metric-table.ts` is the one list) and readiness
 * (`health.ts`),
 * and spans of requests (`tracing/`). Imports errors and config types only; state of other parts arrives as functions and plain data.
 * Rules: spec/operations.md#logs, spec/operations.md#metrics and spec/operations.md#health.
 */
export {
  type CheckReport,
  createHealth,
  type Health,
  type HealthCheck,
  type HealthReport,
  type HealthSettings,
  type Notice,
  type NoticeReport,
} from './health.ts';
export { createLog, type Log, type LogFields, type LogSettings } from './log/log.ts';
export { observeRequest } from './log/observe-request.ts';
export type { RequestLogFields, RequestRecord } from './log/request-record.ts';
export { type MetricReader, readInto, setOrRemove } from './metrics/instruments.ts';
export { METRIC_TABLE, type MetricKey, type MetricSpec, metricName } from './metrics/metric-table.ts';
export { createMetrics, type Metrics } from './metrics/metrics.ts';
export type { RequestTrace, Tracing } from './tracing/tracing.ts';
export { type UsageSample, UsageTally } from './usage.ts';
