import type { MetricsSnapshot } from '../../../src/observability/metrics/merge-snapshots.ts';
import type { UsageSample } from '../../../src/observability/usage.ts';

/** What a thread of tests is told to do. */
export type Order = 'request' | 'warn' | 'snapshot' | 'counts' | 'throw' | 'exit' | 'end' | 'hang';

/** What it posts. */
export interface Report {
  readonly started?: true;
  readonly ended?: true;
  readonly lines?: string;
  readonly snapshot?: MetricsSnapshot;
  readonly counts?: UsageSample;
}
