import type { Config } from '../../config/settings/types.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Store } from '../../storage/store.ts';
import type { Part } from '../lifecycle.ts';

/**
 * Creates the job that removes expired rows every `sweepIntervalSeconds`; with 0, only the command `sweep` does. Its
 * stop waits for the running batch; no further one is begun.
 */
export function createSweeper(
  { sweepIntervalSeconds, sweepBatchRows }: Config['storage'],
  store: Pick<Store, 'sweep'>,
  log: Pick<Log, 'error'>,
  now: () => number,
): Part {
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
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'sweeper',
    start() {
      if (sweepIntervalSeconds === 0) return;
      timer = setInterval(() => {
        running ??= run();
      }, sweepIntervalSeconds * 1000).unref();
    },
    async stop() {
      clearInterval(timer);
      abort.abort();
      await running;
    },
  };
}
