import type { Log } from '../../observability/log/log.ts';
import { answerOf } from '../../observability/threads.ts';
import type { UsageSample, UsageTally } from '../../observability/usage.ts';
import type { UsageStore } from '../../storage/usage.ts';
import type { Part } from '../lifecycle.ts';

/** Writes counts to the store periodically. */
export interface UsageWriter extends Part {
  /** Writes the counts so far; a failure is logged and the counts are dropped. */
  write(): Promise<void>;
  /** Writes a last time and ends. */
  stop(): Promise<void>;
}

const INTERVAL_MS = 10_000;

/**
 * Creates the job that writes the counts of a tally every ten seconds, and a last time when it stops.
 *
 * @param onTaken - Receives the counts of each write; never rejects.
 * @param gather - Adds the counts of other threads to the tally, before each write; never rejects.
 */
export function createUsageWriter(
  tally: UsageTally,
  store: Pick<UsageStore, 'add'>,
  log: Pick<Log, 'repeated'>,
  onTaken: (sample: UsageSample) => Promise<void> | undefined = () => undefined,
  gather: () => Promise<void> | undefined = () => undefined,
): UsageWriter {
  let last: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    await gather();
    const sample = tally.take();
    try {
      await store.add(sample);
    } catch (err) {
      log.repeated('usage', 'the counts of the last seconds could not be written', {
        event: 'usage.write_failed',
        err,
      });
    }
    await onTaken(sample);
  };
  // Sequential, so that writes do not pile up at a slow store.
  const writeNext = (): Promise<void> => {
    last = last.then(write);
    return last;
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'usage writer',
    write: writeNext,
    start() {
      timer = setInterval(() => void writeNext(), INTERVAL_MS).unref();
    },
    stop() {
      clearInterval(timer);
      return writeNext();
    },
  };
}

/**
 * Adds the counts of other threads to a tally. Waits for each at most a second, so that the counts of a busy thread do
 * not hold up the others; late ones are part of the next write.
 *
 * @param asked - Counts that each thread takes from its own tally.
 */
export async function gatherUsage(
  tally: Pick<UsageTally, 'add'>,
  asked: readonly Promise<UsageSample>[],
): Promise<void> {
  await Promise.all(asked.map((counts) => answerOf(counts.then((sample) => tally.add(sample)))));
}
