import type { GateObserver } from './connection-gate.ts';
import type { UnfinishedBound } from './unfinished-exchange.ts';

/** Hears what the bounds of a listener end, for log and metrics. */
export interface ListenerObserver extends Omit<GateObserver, 'resumed'> {
  /** An exchange that waited for its client was ended. */
  endedEarly(bound: UnfinishedBound): void;
}

/** Tells nobody. */
export const SILENT: ListenerObserver = {
  endedEarly() {},
  paused() {},
  calmed() {},
  refused() {},
};
