import { setTimeout as delay } from 'node:timers/promises';
import { NoQuorum } from '../../chain/agree.ts';
import type { RpcFailureClass } from '../../chain/rpc/rpc-failure.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { LeaseStore } from '../../storage/leases.ts';
import type { RootSourceRow, RootSourceStore } from '../../storage/root-sources.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { RoundResult } from './reader/source-reader.ts';

/** Error codes of provider failure classes; other classes share one code. */
const CODE_OF: Readonly<Partial<Record<RpcFailureClass, ErrorCode>>> = {
  rate_limited: 'roots.rate_limited',
  refused: 'roots.refused',
  unreachable: 'roots.unreachable',
  bad_response: 'roots.bad_response',
  chain_mismatch: 'roots.chain_mismatch',
};

/** Returns the error of a round that failed. */
function sourceError(cause: unknown): ServiceError {
  if (cause instanceof NoQuorum) {
    if (cause.reason !== 'quorum_missing') {
      return new ServiceError(`roots.${cause.reason}`, cause.message, {}, { cause });
    }
    const code = CODE_OF[cause.failure?.failureClass ?? 'range'] ?? 'roots.quorum_missing';
    return new ServiceError(code, cause.message, {}, { cause });
  }
  return isServiceError(cause) ? cause : new ServiceError('internal.unforeseen', undefined, {}, { cause });
}

/** Reader of one source, on a chain or over HTTP. */
export interface RootReader {
  /** Adds the state of the source to the store if it has none; drops the state of other contracts. */
  open(): Promise<RootSourceRow>;
  /** Reads new roots, and keys if the source has them. */
  round(): Promise<RoundResult>;
  /**
   * Runs an unscheduled round for roots that are not in the store; skips it if the source does not know them either.
   */
  unscheduledRound(roots: readonly Bytes32[]): Promise<RoundResult>;
  /** States of the providers, as JSON. */
  providers(): string;
}

/** Observer of the rounds of a source. */
export interface RoundObserver {
  ended(result: RoundResult): void;
  failed(error: ServiceError): void;
}

/** Options of a runner. */
export interface SourceRunnerOptions {
  readonly source: Pick<RootSourceRow, 'id' | 'environment' | 'tree'> & { readonly pollSeconds: number };
  readonly reader: RootReader;
  readonly store: { readonly rootSources: RootSourceStore; readonly leases: LeaseStore };
  /** Identifies this process among those that share the store. */
  readonly holder: string;
  /** Whether other processes share the store and can take over the work. */
  readonly isShared: boolean;
  readonly leaseMs: number;
  /** Retention of changes, in milliseconds. */
  readonly keepMs: number;
  readonly observer: RoundObserver;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const TICKS_PER_LEASE = 3;
/**
 * After a lost race or a part of the look-back the next round follows almost at once; the pause lets other nodes in.
 */
const NEXT_PART_DELAY_MS = 50;
const INCOMPLETE_RETRY_MS = 1000;
const UNSCHEDULED_INTERVAL_MS = 1000;
const FAILURES_BEFORE_YIELD = 3;
const SWEEP_INTERVAL_MS = 600_000;

/** Runs the rounds of one source while this process has its lease (spec/roots.md#rounds, `lease`). */
export class SourceRunner {
  readonly #options: SourceRunnerOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #round: Promise<void> | undefined;
  #nextRoundAt = 0;
  #failures = 0;
  #yieldsUntil = 0;
  #sweptAt = 0;
  #unscheduled: Promise<void> | undefined;
  #missing: Bytes32[] = [];
  #unscheduledAt = Number.NEGATIVE_INFINITY;

  constructor(options: SourceRunnerOptions) {
    this.#options = options;
  }

  /** Begins to run rounds. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Starts no further round; resolves when the running one has ended and the lease is given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#round;
    await this.#unscheduled?.catch(() => undefined);
    const { store, holder } = this.#options;
    await store.leases.release(this.#lease, holder).catch(() => undefined);
  }

  /**
   * Runs an unscheduled round for an unknown root, with or without the lease: at most one per second, which serves
   * all roots requested before it begins.
   */
  async lookFor(root: Bytes32): Promise<void> {
    this.#missing.push(root);
    this.#unscheduled ??= this.#runUnscheduled();
    await this.#unscheduled;
  }

  get #lease(): string {
    return `roots:${this.#options.source.id}`;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isHolder = await this.#takeLease();
      const { now, leaseMs } = this.#options;
      if (isHolder && now() >= this.#nextRoundAt)
        await this.#runRound(() => this.#options.reader.round(), true);
      const tick = leaseMs / TICKS_PER_LEASE;
      const wait = isHolder ? Math.min(Math.max(this.#nextRoundAt - now(), 0), tick) : tick;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
  }

  async #takeLease(): Promise<boolean> {
    const { store, holder, now, leaseMs } = this.#options;
    if (now() < this.#yieldsUntil) return false;
    try {
      return await store.leases.take(this.#lease, holder, now(), now() + leaseMs);
    } catch (cause) {
      if (!isServiceError(cause)) throw cause;
      return false;
    }
  }

  /** Runs one round at a time; a second one begins when the first has ended. */
  async #runRound(read: () => Promise<RoundResult>, isScheduled: boolean): Promise<void> {
    while (this.#round !== undefined) await this.#round;
    this.#round = this.#readOnce(read, isScheduled).finally(() => {
      this.#round = undefined;
    });
    await this.#round;
  }

  /** An unscheduled round does not move the next scheduled round, since it may run every second. */
  async #readOnce(read: () => Promise<RoundResult>, isScheduled: boolean): Promise<void> {
    const { source, now, observer, store } = this.#options;
    // A round that reads the past may take longer than the lease.
    const renewal = setInterval(
      () => void this.#takeLease(),
      this.#options.leaseMs / TICKS_PER_LEASE,
    ).unref();
    try {
      const result = await read();
      observer.ended(result);
      if (!isScheduled) return;
      this.#failures = 0;
      const state = await store.rootSources.find(source.id);
      const isUnfinished = result === 'lost_race' || (state !== undefined && state.backfillTo !== null);
      this.#nextRoundAt = now() + (isUnfinished ? NEXT_PART_DELAY_MS : source.pollSeconds * 1000);
      await this.#sweep();
    } catch (cause) {
      if (this.#stopping.signal.aborted) return;
      await this.#report(sourceError(cause), isScheduled);
    } finally {
      clearInterval(renewal);
    }
  }

  async #report(error: ServiceError, isScheduled: boolean): Promise<void> {
    const { source, reader, now, observer, store, isShared, holder, leaseMs } = this.#options;
    observer.failed(error);
    const retryMs = error.code === 'roots.incomplete' ? INCOMPLETE_RETRY_MS : source.pollSeconds * 1000;
    if (isScheduled) {
      this.#nextRoundAt = now() + retryMs;
      this.#failures++;
    }
    try {
      await store.rootSources.fail(source.id, `${error.code}: ${error.message}`, reader.providers(), now());
      if (!isScheduled || !isShared || this.#failures < FAILURES_BEFORE_YIELD) return;
      // Another node may succeed.
      this.#failures = 0;
      this.#yieldsUntil = now() + leaseMs;
      await store.leases.release(this.#lease, holder);
    } catch (cause) {
      if (!isServiceError(cause)) throw cause;
    }
  }

  async #sweep(): Promise<void> {
    const { source, now, keepMs, store } = this.#options;
    if (now() - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = now();
    await store.rootSources.sweep(source, now() - keepMs);
  }

  async #runUnscheduled(): Promise<void> {
    const { reader, now } = this.#options;
    const { signal } = this.#stopping;
    const wait = Math.max(this.#unscheduledAt + UNSCHEDULED_INTERVAL_MS - now(), 0);
    // Yields also without a wait: roots requested in the same turn share one round.
    await delay(wait, undefined, { signal }).catch(() => undefined);
    while (this.#round !== undefined) await this.#round;
    const missing = this.#missing;
    this.#missing = [];
    this.#unscheduled = undefined;
    this.#unscheduledAt = now();
    if (!signal.aborted) await this.#runRound(() => reader.unscheduledRound(missing), false);
  }
}
