import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/index.ts';
import type { Store } from '../../storage/index.ts';

/** Removes expired rows from time to time. */
export interface Sweeper {
  /** Begins no further batch, and resolves when the one that runs has ended. */
  stop(): Promise<void>;
}

/** Starts to remove expired rows every `sweepIntervalSeconds`; with 0, only commands do. */
export function startSweeper(
  { sweepIntervalSeconds, sweepBatchRows }: Config['storage'],
  store: Pick<Store, 'sweep'>,
  log: Pick<Log, 'error'>,
  now: () => number,
): Sweeper {
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await store.sweep(now(), sweepBatchRows, abort.signal);
    } catch (fault) {
      log.error('the sweep failed', { err: fault });
    } finally {
      running = undefined;
    }
  };
  const timer =
    sweepIntervalSeconds === 0
      ? undefined
      : setInterval(() => {
          running ??= run();
        }, sweepIntervalSeconds * 1000).unref();
  return {
    async stop() {
      clearInterval(timer);
      abort.abort();
      await running;
    },
  };
}
