import type { Config } from '../../config/settings/types.ts';
import type { Health, Log, Metrics } from '../../observability/index.ts';

/** What both listeners are built from. */
export interface ListenerParts {
  readonly config: Config;
  readonly health: Health;
  readonly log: Log;
  readonly metrics: Metrics;
}
