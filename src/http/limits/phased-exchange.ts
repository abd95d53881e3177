import type { BodyMemory } from '../exchange/body.ts';
import { UnfinishedExchange } from './unfinished-exchange.ts';
import type { UnfinishedExchanges } from './unfinished-exchanges.ts';

/** What a listener counts of its exchanges. */
export interface WorkCounts {
  /** Exchanges whose body is whole and whose answer is not given: the ones that the service works on. */
  serving: number;
  /** Those that wait for their client, and the memory of bodies. */
  readonly unfinished: UnfinishedExchanges;
}

/**
 * An exchange that first receives its body, then is served, and where the socket does not take the answer at once sends
 * the rest. It waits for its client in the first and the last phase, for the service in the second.
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

  /** To be called at the end of the entry, after which the body arrives, or the word that there is none. */
  protected enter(): void {
    if (this.isOpen) this.#counts.unfinished.add(this);
  }

  protected get isSending(): boolean {
    return this.#phase === 'sending';
  }

  protected get isServing(): boolean {
    return this.#phase === 'serving';
  }

  /** Accounts for memory of the body. */
  take(bytes: number): boolean {
    return this.#counts.unfinished.take(this, bytes);
  }

  /** The body is whole. */
  received(): void {
    if (this.#phase !== 'receiving' || !this.isOpen) return;
    this.#counts.unfinished.delete(this);
    this.#phase = 'serving';
    this.#counts.serving++;
  }

  /** The answer is given and its rest waits for the client to read. */
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
