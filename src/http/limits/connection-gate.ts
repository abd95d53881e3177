import type { UnfinishedBound } from './address-shares.ts';
import { type ConnectionCount, Gate } from './gate.ts';

/** Reason for which no connections are accepted. */
export type PauseReason = 'connections' | 'descriptors';

/** Limits and operations for the gate of a listener. */
export interface GateParts {
  /** Open connections: of this listener, or of all front ends. */
  readonly count: ConnectionCount;
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
  /** Receives the addresses with too many connections, for the front ends, after they have changed. */
  readonly onOverLimit?: (addressKeys: readonly string[]) => void;
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
export class ConnectionGate extends Gate {
  readonly #parts: GateParts;
  readonly #timer: NodeJS.Timeout;
  /** Addresses with too many connections, and the time until which each is remembered. */
  protected readonly overLimit: Map<string, number> = new Map();
  /** Whether an address was added or removed since `onOverLimit` was called. */
  #hasChanged = false;
  #isListening = true;
  #isClosed = false;
  #isCounting = false;
  #countAgainAt = 0;
  /** Time when the last pause began or, after resuming, ended; undefined once it is reported as over. */
  #pausedAt: number | undefined;

  constructor(parts: GateParts) {
    super(parts.maxOpen, parts.count);
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** Number of open connections. */
  get open(): number {
    return this.count.all;
  }

  protected onRefused(): void {
    this.#parts.observer.refused();
  }

  /** Applies the bounds; also called after a front end has reported that they are reached. */
  onReached(): void {
    if (this.count.all >= this.crowdedFrom) void this.#findOverLimit();
    if (this.count.all >= this.#parts.maxOpen) this.#pause('connections');
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
    this.#parts.observer.paused(reason, this.count.all);
    void this.#findOverLimit();
  }

  async #tick(): Promise<void> {
    if (this.#isListening) {
      if (!this.#parts.hasDescriptors(SPARE)) this.#pause('descriptors');
    } else await this.#resume();
    if (this.count.all > this.crowdedFrom) await this.#findOverLimit();
    else this.#forget();
    const isCalm = this.#pausedAt !== undefined && this.#parts.now() - this.#pausedAt > CALM_MS;
    if (!this.#isListening || !isCalm) return;
    this.#pausedAt = undefined;
    this.#parts.observer.calmed();
  }

  async #resume(): Promise<void> {
    const { maxOpen, hasDescriptors, startListening, stopListening, observer } = this.#parts;
    if (this.count.all > maxOpen * RESUMED_FRACTION || !hasDescriptors(SPARE_TO_RESUME)) return;
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
        if (count <= this.#parts.maxOpenPerAddress) continue;
        this.#hasChanged ||= !this.overLimit.has(key);
        this.overLimit.set(key, until);
      }
      this.#forget();
    } finally {
      this.#isCounting = false;
    }
  }

  #forget(): void {
    const { now, onOverLimit } = this.#parts;
    const time = now();
    for (const [key, until] of this.overLimit) {
      if (until <= time) this.#hasChanged = this.overLimit.delete(key);
    }
    if (this.#hasChanged) onOverLimit?.([...this.overLimit.keys()]);
    this.#hasChanged = false;
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
