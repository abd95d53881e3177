/** Counts open connections. */
export interface ConnectionCount {
  /** Number of open connections, those of other front ends included. */
  readonly all: number;
  add(): void;
  remove(): void;
}

/** Count of a listener that is the only front end. */
export class LocalCount implements ConnectionCount {
  all = 0;

  add(): void {
    this.all++;
  }

  remove(): void {
    this.all--;
  }
}

/** Above this fraction of the largest number, addresses that have too many connections get no new ones. */
const CROWDED_FRACTION = 1 / 4;

/** Admits new connections of a listener or front end. */
export abstract class Gate {
  protected readonly count: ConnectionCount;
  protected readonly crowdedFrom: number;
  readonly #maxOpen: number;
  /** Addresses with too many connections. */
  protected abstract readonly overLimit: { has(addressKey: string): boolean; readonly size: number };

  constructor(maxOpen: number, count: ConnectionCount) {
    this.count = count;
    this.crowdedFrom = Math.ceil(maxOpen * CROWDED_FRACTION);
    this.#maxOpen = maxOpen;
  }

  /** Number of its open connections. */
  abstract readonly open: number;

  /** Called when a connection is refused because its address has too many open. */
  protected abstract onRefused(): void;

  /** Called when a number of open connections is reached at which something has to be done. */
  protected abstract onReached(): void;

  /** Stops the gate. */
  abstract close(): void;

  /** Whether connections of this address should be closed after their next answer. */
  isOverLimit(addressKey: string): boolean {
    return this.overLimit.has(addressKey);
  }

  /** Whether `isOverLimit` matters at all: some address has too many connections and many connections are open. */
  get isCrowded(): boolean {
    return this.overLimit.size > 0 && this.count.all > this.crowdedFrom;
  }

  /**
   * Counts a new connection; refuses it beyond the bound, as the end of listening refuses those that wait.
   *
   * @param addressKey - Reads the client address as rate limits key it.
   * @param refuse - Closes the connection, which calls `closed`.
   */
  opened(addressKey: () => string, refuse: () => void): void {
    this.count.add();
    if (this.isCrowded && this.overLimit.has(addressKey())) {
      this.onRefused();
      refuse();
      return;
    }
    const open = this.count.all;
    if (open === this.crowdedFrom || open >= this.#maxOpen) this.onReached();
    // With a renewed certificate uWebSockets.js accepts all that wait before it reports the first one.
    if (open > this.#maxOpen) refuse();
  }

  /** Counts a connection that closed. */
  closed(): void {
    this.count.remove();
  }
}
