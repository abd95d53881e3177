import { Timed } from '../../waiting/index.ts';

/**
 * Which bound ended an unfinished exchange: of all clients (`count`, `bytes`) or of its own client address
 * (`address_count`, `address_bytes`).
 */
export type UnfinishedBound = 'count' | 'address_count' | 'bytes' | 'address_bytes';

/**
 * An exchange as `UnfinishedExchanges` sees it. It carries its own list links, because nearly every request with a body is
 * unfinished for the microseconds between its head and its body.
 */
export abstract class UnfinishedExchange extends Timed {
  /** Links; only the list that the exchange is in uses them. */
  older: UnfinishedExchange | undefined = undefined;
  newer: UnfinishedExchange | undefined = undefined;
  list: UnfinishedList | undefined = undefined;
  /** Share of its client address, once that was needed. */
  share: AddressShare | undefined = undefined;
  /** Memory that its body takes. */
  bodyBytes = 0;

  /** The client address as limits count it; reading it may cost a system call. */
  abstract readonly clientKey: string;

  /** Ends the exchange because a bound is reached. */
  abstract endEarly(bound: UnfinishedBound): void;
}

/** Exchanges in the order in which they were added. */
export class UnfinishedList {
  oldest: UnfinishedExchange | undefined = undefined;
  size = 0;
  #newest: UnfinishedExchange | undefined;

  /** Appends an exchange that is in no list. */
  add(exchange: UnfinishedExchange): void {
    exchange.list = this;
    exchange.older = this.#newest;
    if (this.#newest === undefined) this.oldest = exchange;
    else this.#newest.newer = exchange;
    this.#newest = exchange;
    this.size++;
  }

  /** Removes an exchange that is in this list. */
  delete(exchange: UnfinishedExchange): void {
    const { older, newer } = exchange;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    exchange.older = undefined;
    exchange.newer = undefined;
    exchange.list = undefined;
    this.size--;
  }
}

/** What one client address has of the unfinished exchanges and of the memory for bodies. */
export class AddressShare {
  readonly key: string;
  readonly exchanges: UnfinishedList = new UnfinishedList();
  /** Memory of its bodies, those being served included. */
  bodyBytes = 0;

  constructor(key: string) {
    this.key = key;
  }

  /** Its oldest unfinished exchange that takes memory. */
  get oldestWithBody(): UnfinishedExchange | undefined {
    let exchange = this.exchanges.oldest;
    while (exchange !== undefined && exchange.bodyBytes === 0) exchange = exchange.newer;
    return exchange;
  }
}
