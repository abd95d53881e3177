import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/index.ts';
import type { Store } from '../../storage/index.ts';

/** Removes expired rows periodically. */
export interface Sweeper {
  /** Starts no further batch; resolves when the running one has ended. */
  stop(): Promise<void>;
}

/** Removes expired rows every `sweepIntervalSeconds`; with 0, only the command `sweep` does. */
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
