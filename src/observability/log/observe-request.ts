import type { Metrics } from '../metrics/metrics.ts';
import type { UsageTally } from '../usage.ts';
import type { Log } from './log.ts';
import type { RequestRecord } from './request-record.ts';

/**
 * Returns the hook that a listener calls at the end of each exchange: it writes one log line, updates the HTTP metrics
 * and counts usage.
 */
export function observeRequest(
  log: Log,
  metrics: Metrics,
  usage?: UsageTally,
): (record: RequestRecord) => void {
  return (record) => {
    usage?.observe(record);
    const { route, method } = record;
    if (record.isAborted) metrics.httpAbortedTotal.inc({ route, method });
    if (record.status > 0) {
      const status = statusLabel(record.status);
      metrics.httpRequestDurationSeconds.at(route, method, status).observe(record.durationMs / 1000);
    }
    if (record.status === 429) metrics.rateLimitedTotal.at(route).add();
    if (record.code !== undefined && record.status >= 400) metrics.errorsTotal.at(route, record.code).add();
    log.request(record);
  };
}

const STATUS_LABELS: string[] = [];

// One string per status, so that its hash is computed only once.
function statusLabel(status: number): string {
  STATUS_LABELS[status] ??= String(status);
  return STATUS_LABELS[status];
}
