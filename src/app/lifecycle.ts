import type { HealthCheck, Notice } from '../observability/health.ts';
import type { Log } from '../observability/log/log.ts';
import type { MetricReader } from '../observability/metrics/instruments.ts';

/** Readiness checks and notices of a part, by name. */
export type HealthChecks = Readonly<Record<string, HealthCheck | Notice>>;

/** One part of the service; created, with its resources, before it is added to the list. */
export interface Part {
  /** Names the part in the log. */
  readonly name: string;
  /** Begins background work. Called once the list is complete and the service listens. */
  start?(): Promise<void> | void;
  /**
   * Finishes the work for clients, within its own time limit; called before any part stops, but not after a failed
   * start.
   */
  drain?(): Promise<void> | void;
  /**
   * Ends background work and releases the resources of the part, also if it was not started.
   *
   * @param faults - Faults of parts stopped before, which may still be working.
   */
  stop?(faults?: readonly PartFault[]): Promise<void> | void;
  readonly health?: HealthChecks;
  /** Sets gauges of the part at each exposition. */
  readonly metrics?: MetricReader;
}

/** Time limit for a part to stop, in milliseconds; work that is unfinished then is abandoned. */
const STOP_LIMIT_MS = 30_000;

/**
 * Parts of the service in the order of their dependencies. They start in this order and drain and stop in the reverse
 * order, so that no part stops before its users. Every part is stopped, even if another fails.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  #stopped: Promise<readonly PartFault[]> | undefined;

  /** Appends a part, unless it is undefined because a setting disables it, and returns it. */
  add<P extends Part | undefined>(part: P): P {
    if (part !== undefined) this.#parts.push(part);
    return part;
  }

  /** Checks of the parts so far. */
  get health(): HealthChecks {
    return Object.assign({}, ...this.#parts.map(({ health }) => health));
  }

  /** Readers of the metrics of the parts so far. */
  get metrics(): readonly MetricReader[] {
    return this.#parts.flatMap(({ metrics }) => metrics ?? []);
  }

  /** Starts the parts, one after the other. */
  async start(): Promise<void> {
    for (const part of this.#parts) await part.start?.();
  }

  /** Drains the parts; returns the faults. */
  drain(): Promise<readonly PartFault[]> {
    return this.#reversed((part) => part.drain?.());
  }

  /** Stops the parts; returns the faults. Further calls return the first result. */
  stop(): Promise<readonly PartFault[]> {
    this.#stopped ??= this.#reversed((part, faults) => withinLimit(part.stop?.(faults)));
    return this.#stopped;
  }

  async #reversed(
    end: (part: Part, faults: readonly PartFault[]) => Promise<void> | void,
  ): Promise<readonly PartFault[]> {
    const faults: PartFault[] = [];
    for (const part of this.#parts.toReversed()) {
      try {
        await end(part, faults);
      } catch (error) {
        faults.push({ name: part.name, error });
      }
    }
    return faults;
  }
}

/** Fault of a part that could not be drained or stopped. */
export interface PartFault {
  readonly name: string;
  readonly error: unknown;
}

/**
 * Shuts the service down: drains its parts, so that no accepted request is lost, stops them, and flushes the log.
 *
 * @param listener - Reports the number of requests unfinished after the drain.
 * @returns Whether every open request was finished.
 * @throws unknown the fault of the part that failed first, after all have stopped
 */
export async function shutDown(
  lifecycle: Lifecycle,
  log: Pick<Log, 'info' | 'error' | 'flush'>,
  listener: { readonly cut: number },
): Promise<boolean> {
  const faults = [...(await lifecycle.drain()), ...(await lifecycle.stop())];
  for (const { name, error } of faults) {
    log.error(`stopping failed: ${name}`, { event: 'service.stop_failed', reason: name, err: error });
  }
  log.info('stopped', { event: 'service.stopped', open: listener.cut });
  log.flush();
  if (faults[0] !== undefined) throw faults[0].error;
  return listener.cut === 0;
}

async function withinLimit(stopping: Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not stop within ${STOP_LIMIT_MS} ms`)), STOP_LIMIT_MS);
  });
  try {
    await Promise.race([stopping, late]);
  } finally {
    clearTimeout(timer);
  }
}
