import { inPollPhase } from '../exchange/poll-phase.ts';
import {
  type AddressShare,
  AddressShares,
  type AddressTotals,
  type UnfinishedBound,
  type UnfinishedExchange,
  UnfinishedList,
} from './address-shares.ts';

/** Bounds on unfinished exchanges and on body memory. */
export interface UnfinishedLimits {
  readonly maxUnfinished: number;
  readonly maxUnfinishedPerAddress: number;
  readonly maxBodyBytes: number;
  readonly maxBodyBytesPerAddress: number;
}

/** Receives the exchanges that a bound ends. */
export interface UnfinishedObserver {
  /** @param isByAllClients - Whether no single address holds much and the clients together exceed the bound. */
  endedEarly(bound: UnfinishedBound, isByAllClients: boolean): void;
}

/** When body memory is used up, an address with at least this fraction of it counts as the cause. */
const CAUSE_FRACTION = 1 / 8;
/** Time after which exchanges that still wait are counted by address over all front ends. */
const SHARED_COUNT_MS = 100;

/**
 * Exchanges that wait for their client: for the rest of a body, or for an answer to be read. They cost a client
 * nothing, so they are counted separately from those being served. When a bound is exceeded, the oldest exchange of the
 * address with the most is ended, so that the client that causes it bears the cost.
 *
 * The address of an exchange is read only when it may matter. Bounds on numbers are applied in the next poll phase of
 * the event loop, when bodies that came with their head are complete; bounds on memory are applied immediately.
 *
 * Of several front ends each has its share of the bounds of all clients. The bounds of an address hold over all of them:
 * the one that counts an exchange or a body beyond them ends the oldest that it has of the address.
 */
export class UnfinishedExchanges {
  readonly #limits: UnfinishedLimits;
  readonly #observer: UnfinishedObserver;
  /** Exchanges not yet assigned to an address, all newer than those that are. */
  readonly #uncounted = new UnfinishedList();
  readonly #shares: AddressShares;
  readonly #isShared: boolean;
  readonly #countFrom: number;
  #size = 0;
  #bodyBytes = 0;
  #isCountPlanned = false;
  #isSharedCountPlanned = false;

  /** @param totals - Counts of the addresses in all front ends; undefined if this is the only one. */
  constructor(limits: UnfinishedLimits, observer: UnfinishedObserver, totals?: AddressTotals) {
    this.#limits = limits;
    this.#observer = observer;
    this.#shares = new AddressShares(totals);
    this.#isShared = totals !== undefined;
    this.#countFrom = Math.min(limits.maxUnfinished, limits.maxUnfinishedPerAddress);
  }

  /** Number of exchanges that wait for their client. */
  get size(): number {
    return this.#size;
  }

  /** Memory of all bodies, including requests being served. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  add(exchange: UnfinishedExchange): void {
    this.#uncounted.add(exchange);
    this.#size++;
    if (this.#isShared && !this.#isSharedCountPlanned) this.#planSharedCount();
    if (this.#size <= this.#countFrom || this.#isCountPlanned) return;
    this.#isCountPlanned = true;
    inPollPhase(() => this.#boundNumbers());
  }

  /** Removes an exchange; does nothing if it is not among them. */
  delete(exchange: UnfinishedExchange): void {
    const { list, share } = exchange;
    if (list === undefined) return;
    this.#size--;
    if (list === this.#uncounted || share === undefined) list.delete(exchange);
    else this.#shares.delete(share, exchange);
    if (exchange.bodyBytes === 0) exchange.share = undefined;
  }

  /**
   * Accounts for memory that the body of an exchange takes in addition. With its last chunk the exchange is
   * no longer unfinished, but it can still be refused.
   *
   * @returns Whether the exchange may continue; if not, it was ended.
   */
  take(exchange: UnfinishedExchange, bytes: number): boolean {
    exchange.share ??= this.#shares.of(exchange.clientKey);
    const { share } = exchange;
    exchange.bodyBytes += bytes;
    this.#bodyBytes += bytes;
    this.#shares.addMemory(share, bytes);
    const { maxBodyBytes, maxBodyBytesPerAddress } = this.#limits;
    if (share.allBodyBytes > maxBodyBytesPerAddress || this.#bodyBytes > maxBodyBytes) {
      this.#boundMemory(exchange, share);
    }
    return exchange.bodyBytes > 0;
  }

  /** Releases the memory of a body. */
  release(exchange: UnfinishedExchange): void {
    const { bodyBytes, share } = exchange;
    if (bodyBytes === 0 || share === undefined) return;
    exchange.bodyBytes = 0;
    this.#bodyBytes -= bodyBytes;
    this.#shares.addMemory(share, -bodyBytes);
    if (exchange.list !== share.exchanges) exchange.share = undefined;
  }

  #planSharedCount(): void {
    this.#isSharedCountPlanned = true;
    const count = (): void => {
      this.#isSharedCountPlanned = false;
      this.#countAll();
    };
    // Connections may be closed in the poll phase only.
    setTimeout(() => inPollPhase(count), SHARED_COUNT_MS).unref();
  }

  #boundNumbers(): void {
    this.#isCountPlanned = false;
    this.#countAll();
    while (this.#size > this.#limits.maxUnfinished) {
      const oldest = this.#shares.oldestOfMost;
      if (oldest === undefined) return;
      this.#end(oldest, 'count');
    }
  }

  /** Assigns every exchange to its address. */
  #countAll(): void {
    const most = this.#limits.maxUnfinishedPerAddress;
    for (let exchange = this.#uncounted.oldest; exchange !== undefined; exchange = this.#uncounted.oldest) {
      this.#uncounted.delete(exchange);
      exchange.share ??= this.#shares.of(exchange.clientKey);
      const { share } = exchange;
      this.#shares.add(share, exchange);
      const { oldest } = share.exchanges;
      if (share.allExchanges > most && oldest !== undefined) this.#end(oldest, 'address_count');
    }
  }

  /** @param taker - Exchange that takes more memory; ended itself if there is no other candidate. */
  #boundMemory(taker: UnfinishedExchange, share: AddressShare): void {
    const { maxBodyBytes, maxBodyBytesPerAddress } = this.#limits;
    this.#countAll();
    while (share.allBodyBytes > maxBodyBytesPerAddress && taker.bodyBytes > 0) {
      this.#end(share.oldestWithBody ?? taker, 'address_bytes');
    }
    while (this.#bodyBytes > maxBodyBytes && taker.bodyBytes > 0) {
      const isByAllClients = this.#shares.mostMemory < maxBodyBytes * CAUSE_FRACTION;
      this.#end(this.#shares.oldestOfMostMemory(share) ?? taker, 'bytes', isByAllClients);
    }
  }

  #end(exchange: UnfinishedExchange, bound: UnfinishedBound, isByAllClients = false): void {
    this.#observer.endedEarly(bound, isByAllClients);
    exchange.endEarly(bound);
    this.delete(exchange);
    this.release(exchange);
  }
}
