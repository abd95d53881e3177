import type { UnfinishedBound } from './address-shares.ts';

/** Reason for which no connections are accepted. */
export type PauseReason = 'connections' | 'descriptors';

/** Limits and operations for the gate of a listener. */
export interface GateParts {
  /** Largest number of open connections. */
  readonly maxOpen: number;
  /** Largest number of connections per client address while many are open. */
  readonly maxOpenPerAddress: number;
  /** Stops listening; open connections stay open. */
  stopListening(): void;
  /** Listens again on the same host and port; resolves to whether that succeeded. */
  startListening(): Promise<boolean>;
  /** Counts the open connections by client address. */
  countPeers(): Promise<ReadonlyMap<string, number>>;
  /** Whether `count` descriptors can be opened now. */
  hasDescriptors(count: number): boolean;
  readonly observer: GateObserver;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Receives the events of the gate. */
export interface GateObserver {
  /** The listener stopped accepting connections. */
  paused(reason: PauseReason, open: number): void;
  /** The listener accepts connections again. */
  resumed(): void;
  /** No pause has happened for a while, after at least one. */
  calmed(): void;
  /** A new connection was closed because its address has too many open. */
  refused(): void;
}

const TICK_MS = 1000;
/**
 * Counting connections by address costs the kernel milliseconds per thousand: spend at most a twentieth of
 * the time on it.
 */
const COUNT_PAUSE_FACTOR = 20;
/** Above this fraction of `maxOpen`, addresses that have too many connections get no new ones. */
const CROWDED_FRACTION = 1 / 4;
/** At or below this fraction of `maxOpen`, a paused listener accepts connections again. */
const RESUMED_FRACTION = 7 / 8;
/** Time for which an address counts as over its limit after its last excess. */
const REMEMBERED_MS = 60_000;
/** Time without a pause after which the last pause is reported as over. */
const CALM_MS = 10_000;
/** Minimum number of free descriptors to continue accepting connections, and to resume after a pause. */
const SPARE = 4;
const SPARE_TO_RESUME = 16;

/**
 * Bounds the open connections of a listener. Without free descriptors a process cannot accept a pending connection, but
 * the event loop keeps reporting it, so the process spins. The gate therefore stops listening before descriptors run
 * out, and resumes by itself. Well before that point, addresses with too many connections get no new ones, and
 * uWebSockets.js closes their idle ones.
 */
export class ConnectionGate {
  readonly #parts: GateParts;
  readonly #timer: NodeJS.Timeout;
  /** Addresses with too many connections, and the time until which each is remembered. */
  readonly #overLimit = new Map<string, number>();
  readonly #crowdedFrom: number;
  #open = 0;
  #isListening = true;
  #isClosed = false;
  #isCounting = false;
  #countAgainAt = 0;
  /** Time when the last pause began or, after resuming, ended; undefined once it is reported as over. */
  #pausedAt: number | undefined;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#crowdedFrom = Math.ceil(parts.maxOpen * CROWDED_FRACTION);
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open;
  }

  /** Whether connections of this address should be closed after their next answer. */
  isOverLimit(addressKey: string): boolean {
    return this.#overLimit.has(addressKey);
  }

  /** Whether `isOverLimit` matters at all: some address has too many connections and many connections are open. */
  get isCrowded(): boolean {
    return this.#overLimit.size > 0 && this.#open > this.#crowdedFrom;
  }

  /**
   * Counts a new connection; refuses it beyond the bound, as the end of listening refuses those that wait.
   *
   * @param addressKey - Reads the client address as rate limits key it.
   * @param refuse - Closes the connection, which calls `closed`.
   */
  opened(addressKey: () => string, refuse: () => void): void {
    this.#open++;
    if (this.isCrowded) {
      const key = addressKey();
      if (this.#overLimit.has(key)) {
        this.#parts.observer.refused();
        refuse();
        return;
      }
    }
    if (this.#open === this.#crowdedFrom) void this.#findOverLimit();
    // With a renewed certificate uWebSockets.js accepts all that wait before it reports the first one.
    if (this.#open > this.#parts.maxOpen) refuse();
    else if (this.#open === this.#parts.maxOpen) this.#pause('connections');
  }

  /** Counts a connection that closed. */
  closed(): void {
    this.#open--;
  }

  /** Stops the gate; it does not resume listening after this. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #pause(reason: PauseReason): void {
    if (!this.#isListening || this.#isClosed) return;
    this.#isListening = false;
    this.#pausedAt = this.#parts.now();
    // With neither a listen socket nor connections, only this timer keeps the process alive.
    this.#timer.ref();
    this.#parts.stopListening();
    this.#parts.observer.paused(reason, this.#open);
    void this.#findOverLimit();
  }

  async #tick(): Promise<void> {
    if (this.#isListening) {
      if (!this.#parts.hasDescriptors(SPARE)) this.#pause('descriptors');
    } else await this.#resume();
    if (this.#open > this.#crowdedFrom) await this.#findOverLimit();
    else this.#forget();
    const isCalm = this.#pausedAt !== undefined && this.#parts.now() - this.#pausedAt > CALM_MS;
    if (!this.#isListening || !isCalm) return;
    this.#pausedAt = undefined;
    this.#parts.observer.calmed();
  }

  async #resume(): Promise<void> {
    const { maxOpen, hasDescriptors, startListening, stopListening, observer } = this.#parts;
    if (this.#open > maxOpen * RESUMED_FRACTION || !hasDescriptors(SPARE_TO_RESUME)) return;
    if (!(await startListening())) return;
    if (this.#isClosed) return stopListening();
    this.#isListening = true;
    this.#timer.unref();
    this.#pausedAt = this.#parts.now();
    observer.resumed();
  }

  async #findOverLimit(): Promise<void> {
    const { countPeers, now } = this.#parts;
    const begunAt = now();
    if (this.#isCounting || begunAt < this.#countAgainAt) return;
    this.#isCounting = true;
    try {
      const counts = await countPeers();
      this.#countAgainAt = now() + (now() - begunAt) * COUNT_PAUSE_FACTOR;
      const until = now() + REMEMBERED_MS;
      for (const [key, count] of counts) {
        if (count > this.#parts.maxOpenPerAddress) this.#overLimit.set(key, until);
      }
      this.#forget();
    } finally {
      this.#isCounting = false;
    }
  }

  #forget(): void {
    const now = this.#parts.now();
    for (const [key, until] of this.#overLimit) if (until <= now) this.#overLimit.delete(key);
  }
}

/** Receives the connections and exchanges that the bounds of a listener end, for log and metrics. */
export interface ListenerObserver extends Omit<GateObserver, 'resumed'> {
  /** An exchange that was waiting for its client was ended. */
  endedEarly(bound: UnfinishedBound): void;
}

/** Observer that does nothing. */
export const SILENT: ListenerObserver = {
  endedEarly() {},
  paused() {},
  calmed() {},
  refused() {},
};
