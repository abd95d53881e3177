import type { BodyMemory } from '../exchange/body.ts';
import { UnfinishedExchange } from './address-shares.ts';
import type { UnfinishedExchanges } from './unfinished-exchanges.ts';

/** Counts of a listener's exchanges. */
export interface WorkCounts {
  /** Exchanges whose body is complete and which have no answer yet: the requests in progress. */
  serving: number;
  /** Exchanges that wait for their client, and the memory of request bodies. */
  readonly unfinished: UnfinishedExchanges;
}

/**
 * An exchange in up to three phases: it receives its body, is served, and sends the rest of an answer that
 * the socket did not take immediately. It waits for its client in the first and the last phase, and for the
 * service in the second.
 */
export abstract class PhasedExchange extends UnfinishedExchange implements BodyMemory {
  readonly #counts: WorkCounts;
  #phase: 'receiving' | 'serving' | 'sending' = 'receiving';

  constructor(counts: WorkCounts) {
    super();
    this.#counts = counts;
  }

  /** Whether an answer can still be given. */
  protected abstract readonly isOpen: boolean;

  /**
   * Counts the exchange as receiving. To be called at the end of the request callback, before its body or its
   * end arrives.
   */
  protected enter(): void {
    if (this.isOpen) this.#counts.unfinished.add(this);
  }

  protected get isSending(): boolean {
    return this.#phase === 'sending';
  }

  protected get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Accounts for memory that the body takes in addition. */
  take(bytes: number): boolean {
    return this.#counts.unfinished.take(this, bytes);
  }

  /** Records that the body is complete. */
  received(): void {
    if (this.#phase !== 'receiving' || !this.isOpen) return;
    this.#counts.unfinished.delete(this);
    this.#phase = 'serving';
    this.#counts.serving++;
  }

  /** Records that there is an answer, whose rest waits for the client to read. */
  sending(): void {
    this.leave();
    this.#phase = 'sending';
    this.#counts.unfinished.add(this);
  }

  /** Takes the exchange out of all counts. */
  protected leave(): void {
    const { unfinished } = this.#counts;
    if (this.#phase === 'serving') this.#counts.serving--;
    else unfinished.delete(this);
    unfinished.release(this);
  }
}
