const GROWTH = 1.25;
/** Time after a refusal until larger ranges are tried again, lest every other request of a limited provider be one. */
const GROWS_AFTER_MS = 600_000;
/** Requests for logs of one provider are at least so far apart. */
const PACE_MS = 200;

/** Learns how many blocks a provider accepts in one request for logs, and paces these requests. */
export class LogRange {
  /** Number of blocks that it is asked for after it refused more; undefined while it refused none. */
  acceptedBlocks: number | undefined;
  readonly #now: () => number;
  #growsAt = 0;
  #nextAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a place in the row of requests; returns the wait for it in milliseconds. */
  takePlace(): number {
    const at = Math.max(this.#now(), this.#nextAt);
    this.#nextAt = at + PACE_MS;
    return at - this.#now();
  }

  /** Returns how many of some blocks to ask for. */
  sizeOf(blocks: number): number {
    return Math.min(blocks, this.acceptedBlocks ?? blocks);
  }

  /** Records a request that was answered. */
  accepted(blocks: number): void {
    // A smaller range than the accepted one says nothing about a larger one.
    if (blocks !== this.acceptedBlocks || this.#now() < this.#growsAt) return;
    this.acceptedBlocks = Math.ceil(blocks * GROWTH);
  }

  /**
   * Records a request of at least two blocks that was refused for its range.
   *
   * @param named - Number of blocks that the provider names as what it accepts.
   */
  refused(blocks: number, named: number = blocks): void {
    this.acceptedBlocks = named < blocks ? named : Math.floor(blocks / 2);
    this.#growsAt = this.#now() + GROWS_AFTER_MS;
  }
}
