import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { RequestRecord } from './request-record.ts';

/** Gives the hook that a listener calls at the end of each exchange: one log line and the HTTP metrics. */
export function observeRequest(log: Log, metrics: Metrics): (record: RequestRecord) => void {
  return (record) => {
    const { route, method } = record;
    if (record.isAborted) metrics.httpAbortedTotal.inc({ route, method });
    if (record.status > 0) {
      metrics.httpRequestDurationSeconds.observe(
        { route, method, status: record.status },
        record.durationMs / 1000,
      );
    }
    if (record.status === 429) metrics.rateLimitedTotal.inc({ endpoint: route });
    if (record.code !== undefined && record.status >= 400)
      metrics.errorsTotal.inc({ endpoint: route, code: record.code });
    log.request(record);
  };
}
