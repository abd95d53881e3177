import { ServiceError } from '../../errors/service-error.ts';

/** Options of a group commit. */
export interface GroupCommitOptions<Row, Result> {
  readonly maxRows: number;
  /** Maximum time for which the first row of a group waits for others; with 0 it waits only for the previous commit. */
  readonly maxDelayMs: number;
  /** Groups that are committed at the same time. */
  readonly inFlight: number;
  /** Commits a group durably; returns results in the order of the rows. `attempt` is 1, then 2 for a retry. */
  readonly commit: (rows: readonly Row[], attempt: number) => Promise<readonly Result[]>;
  readonly onRetry?: () => void;
}

interface Waiter<Row, Result> {
  readonly row: Row;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits rows of many callers together, since a durable commit costs the same for one row and for hundreds.
 * A group consists of the rows that arrived while `inFlight` earlier groups were committed. Each caller gets its result after the
 * commit of its group. A failed commit is retried once; if it fails again, all callers of the group get the
 * error.
 *
 * A row must be valid before it is added: an invalid one fails the whole group.
 */
export class GroupCommit<Row, Result> {
  readonly #options: GroupCommitOptions<Row, Result>;
  readonly #waiting: Waiter<Row, Result>[] = [];
  readonly #idleListeners: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** A group that is about to be formed. */
  #isForming = false;
  #running = 0;
  #isClosed = false;

  constructor(options: GroupCommitOptions<Row, Result>) {
    this.#options = options;
  }

  /**
   * Adds a row to the next group and resolves after the commit of that group.
   *
   * @throws ServiceError `store.unreachable` after `close`; otherwise the error of the commit
   */
  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new ServiceError('store.unreachable', 'the store is closed'));
        return;
      }
      this.#waiting.push({ row, resolve, reject });
      this.#schedule();
      if (this.#timer !== undefined && this.#waiting.length >= this.#options.maxRows) this.#run();
    });
  }

  /** Refuses further rows and resolves when all added rows are committed or have failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => this.#idleListeners.push(resolve));
  }

  #isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  #schedule(): void {
    const { maxDelayMs, inFlight } = this.#options;
    if (this.#isForming || this.#running >= inFlight) return;
    if (this.#waiting.length === 0) {
      if (this.#isIdle()) for (const listener of this.#idleListeners.splice(0)) listener();
      return;
    }
    this.#isForming = true;
    // Rows that become ready in the same turn of the event loop, such as those of one batch, share a group.
    if (maxDelayMs > 0) this.#timer = setTimeout(() => this.#run(), maxDelayMs);
    else setImmediate(() => this.#run());
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isForming = false;
    this.#running++;
    const group = this.#waiting.splice(0, this.#options.maxRows);
    // More rows may have arrived than fit the group.
    this.#schedule();
    try {
      const results = await this.#commit(group.map((waiter) => waiter.row));
      group.forEach((waiter, index) => {
        waiter.resolve(results[index] as Result);
      });
    } catch (error) {
      for (const waiter of group) waiter.reject(error);
    }
    this.#running--;
    this.#schedule();
  }

  async #commit(rows: readonly Row[]): Promise<readonly Result[]> {
    const { commit, onRetry } = this.#options;
    try {
      return await commit(rows, 1);
    } catch {
      onRetry?.();
      return await commit(rows, 2);
    }
  }
}
