import type { RootSource } from '../../config/roots/source-types.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { RootSourceRow, RootSourceStore } from '../../storage/root-sources.ts';

/** State of a source, for readiness. */
export interface SourceState {
  readonly id: string;
  readonly status: 'ok' | 'stale' | 'starting';
  /** Time since the last block up to which the current root is known; undefined before the first round. */
  readonly lagSeconds: number | undefined;
  /** Blocks of the look-back that are still to be read. */
  readonly backfillBlocksLeft: number;
  readonly lastError: string | undefined;
}

/** Options of `SourceStates`. */
export interface SourceStatesOptions {
  readonly sources: readonly RootSource[];
  readonly store: Pick<RootSourceStore, 'list'>;
  /** Time that the first round may take, in milliseconds. */
  readonly startWaitMs: number;
  readonly refreshMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called at each refresh for each stale source. */
  readonly onStale: (source: RootSource, lagSeconds: number) => void;
}

/** The states of all sources, read from the store periodically, since any node may advance them. */
export class SourceStates {
  readonly #options: SourceStatesOptions;
  readonly #beganAt: number;
  #rows = new Map<string, RootSourceRow>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SourceStatesOptions) {
    this.#options = options;
    this.#beganAt = options.now();
  }

  /** Reads the states now and periodically until `stop`. @throws ServiceError `store.unreachable` */
  async start(): Promise<void> {
    await this.#read();
    this.#timer = setInterval(() => void this.refresh(), this.#options.refreshMs).unref();
  }

  /** Ends the periodic reading. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the states; keeps the last ones if the store cannot be read. */
  async refresh(): Promise<void> {
    try {
      await this.#read();
    } catch (cause) {
      if (!isServiceError(cause)) throw cause;
    }
  }

  /**
   * Returns the time up to which the current root of a source is confirmed, in milliseconds since the epoch; undefined
   * for an unknown source.
   */
  targetTimeOf(sourceId: string): number | undefined {
    return this.#rows.get(sourceId)?.targetTime ?? undefined;
  }

  /** Times of `targetTimeOf` by source. */
  get targetTimes(): Readonly<Record<string, number>> {
    const times = [...this.#rows].flatMap(([id, { targetTime }]) =>
      targetTime === null ? [] : [[id, targetTime]],
    );
    return Object.fromEntries(times) as Record<string, number>;
  }

  /** Returns the states of the configured sources. */
  list(): SourceState[] {
    return this.#options.sources.map((source) => this.#stateOf(source));
  }

  /** Whether a source without any root has not had the time for its first round yet. */
  get isStarting(): boolean {
    const { now, startWaitMs } = this.#options;
    return (
      now() - this.#beganAt < startWaitMs && this.list().some(({ lagSeconds }) => lagSeconds === undefined)
    );
  }

  #stateOf({ id, staleAfterSeconds }: RootSource): SourceState {
    const row = this.#rows.get(id);
    const targetTime = row?.targetTime ?? undefined;
    const lastError = row?.lastError ?? undefined;
    if (row === undefined || targetTime === undefined) {
      return { id, status: 'starting', lagSeconds: undefined, backfillBlocksLeft: 0, lastError };
    }
    const lagSeconds = Math.max(0, Math.floor((this.#options.now() - targetTime) / 1000));
    const { backfillTo, checkpoint, scanFrom } = row;
    const reached = checkpoint?.block ?? scanFrom ?? 0;
    return {
      id,
      lagSeconds,
      lastError,
      status: lagSeconds > staleAfterSeconds ? 'stale' : 'ok',
      backfillBlocksLeft: backfillTo === null ? 0 : Math.max(0, backfillTo - reached),
    };
  }

  async #read(): Promise<void> {
    const rows = await this.#options.store.list();
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    for (const source of this.#options.sources) {
      const { status, lagSeconds = 0 } = this.#stateOf(source);
      if (status === 'stale') this.#options.onStale(source, lagSeconds);
    }
  }
}
