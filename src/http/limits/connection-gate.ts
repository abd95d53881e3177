import type { UnfinishedBound } from './unfinished-exchange.ts';

/** Why no connections are accepted. */
export type PauseReason = 'connections' | 'descriptors';

/** What the gate of a listener is made of. */
export interface GateParts {
  /** Most open connections. */
  readonly most: number;
  /** Most of one client address while many are open. */
  readonly mostPerAddress: number;
  /** Ends listening; open connections live on. */
  stopListening(): void;
  /** Listens again at the same place; gives whether that worked. */
  startListening(): Promise<boolean>;
  /** Open connections by client address. */
  countPeers(): Promise<ReadonlyMap<string, number>>;
  /** Whether so many descriptors can be opened now. */
  hasDescriptors(count: number): boolean;
  readonly observer: GateObserver;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
}

/** Hears what the gate does. */
export interface GateObserver {
  /** Each time that no connections are accepted from now on. */
  paused(reason: PauseReason, open: number): void;
  /** Connections are accepted again. */
  resumed(): void;
  /** None was refused for a while, after at least one pause. */
  calmed(): void;
  /** A connection of an address that has too many was ended as it opened. */
  refused(): void;
}

const TICK_MS = 1000;
/** Counting connections by address takes the kernel milliseconds per thousand of them: at most a twentieth of the time. */
const COUNT_PAUSE_FACTOR = 20;
/** From this part of `most` on, addresses that have too many get no new connections. */
const CROWDED_PART = 1 / 4;
/** Below this part of `most`, connections are accepted again. */
const RESUMED_PART = 7 / 8;
/** How long an address is remembered after it last had too many. */
const REMEMBERED_MS = 60_000;
/** A time without a pause, after which what was reported of one is over. */
const CALM_MS = 10_000;
/** Descriptors that must be free while connections are accepted, and to begin again. */
const SPARE = 4;
const SPARE_TO_RESUME = 16;

/**
 * Bounds the open connections of a listener. A process without free descriptors cannot accept a connection, while the
 * event loop goes on reporting it, so that the process spins; listening ends before that and begins again by itself. Long
 * before, addresses with too many connections get no new ones, and the library ends their idle ones.
 */
export class ConnectionGate {
  readonly #parts: GateParts;
  readonly #timer: NodeJS.Timeout;
  /** Addresses with too many connections, and until when they are remembered. */
  readonly #greedy = new Map<string, number>();
  readonly #crowdedFrom: number;
  #open = 0;
  #isListening = true;
  #isClosed = false;
  #isCounting = false;
  #countAgainAt = 0;
  /** When connections were last paused, until that is reported as over. */
  #pausedAt: number | undefined;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#crowdedFrom = Math.ceil(parts.most * CROWDED_PART);
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** Open connections. */
  get open(): number {
    return this.#open;
  }

  /** Whether connections of an address should end after their next answer. */
  isGreedy(addressKey: string): boolean {
    return this.#greedy.has(addressKey);
  }

  /** Whether the question makes sense at all: some address is greedy and many connections are open. */
  get isCrowded(): boolean {
    return this.#greedy.size > 0 && this.#open > this.#crowdedFrom;
  }

  /**
   * Counts a new connection.
   *
   * @param addressKey - Reads the client address as rate limits take it.
   * @param refuse - Ends the connection, which calls `closed`.
   */
  opened(addressKey: () => string, refuse: () => void): void {
    this.#open++;
    if (this.isCrowded) {
      const key = addressKey();
      if (this.#greedy.has(key)) {
        this.#parts.observer.refused();
        refuse();
        return;
      }
    }
    if (this.#open === this.#crowdedFrom) void this.#findGreedy();
    if (this.#open >= this.#parts.most) this.#pause('connections');
  }

  /** Counts a connection that ended. */
  closed(): void {
    this.#open--;
  }

  /** Ends the gate: nothing listens any more. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #pause(reason: PauseReason): void {
    if (!this.#isListening || this.#isClosed) return;
    this.#isListening = false;
    this.#pausedAt = this.#parts.now();
    // without a listen socket and without connections nothing else keeps the process alive
    this.#timer.ref();
    this.#parts.stopListening();
    this.#parts.observer.paused(reason, this.#open);
    void this.#findGreedy();
  }

  async #tick(): Promise<void> {
    if (this.#isListening) {
      if (!this.#parts.hasDescriptors(SPARE)) this.#pause('descriptors');
    } else await this.#resume();
    if (this.#open > this.#crowdedFrom) await this.#findGreedy();
    else this.#forget();
    const isCalm = this.#pausedAt !== undefined && this.#parts.now() - this.#pausedAt > CALM_MS;
    if (!this.#isListening || !isCalm) return;
    this.#pausedAt = undefined;
    this.#parts.observer.calmed();
  }

  async #resume(): Promise<void> {
    const { most, hasDescriptors, startListening, stopListening, observer } = this.#parts;
    if (this.#open > most * RESUMED_PART || !hasDescriptors(SPARE_TO_RESUME)) return;
    if (!(await startListening())) return;
    if (this.#isClosed) return stopListening();
    this.#isListening = true;
    this.#timer.unref();
    this.#pausedAt = this.#parts.now();
    observer.resumed();
  }

  async #findGreedy(): Promise<void> {
    const { countPeers, now } = this.#parts;
    const begunAt = now();
    if (this.#isCounting || begunAt < this.#countAgainAt) return;
    this.#isCounting = true;
    try {
      const counts = await countPeers();
      this.#countAgainAt = now() + (now() - begunAt) * COUNT_PAUSE_FACTOR;
      const until = now() + REMEMBERED_MS;
      for (const [key, count] of counts) {
        if (count > this.#parts.mostPerAddress) this.#greedy.set(key, until);
      }
      this.#forget();
    } finally {
      this.#isCounting = false;
    }
  }

  #forget(): void {
    const now = this.#parts.now();
    for (const [key, until] of this.#greedy) if (until <= now) this.#greedy.delete(key);
  }
}

/** Hears what the bounds of a listener end, for log and metrics. */
export interface ListenerObserver extends Omit<GateObserver, 'resumed'> {
  /** An exchange that waited for its client was ended. */
  endedEarly(bound: UnfinishedBound): void;
}

/** Tells nobody. */
export const SILENT: ListenerObserver = {
  endedEarly() {},
  paused() {},
  calmed() {},
  refused() {},
};
