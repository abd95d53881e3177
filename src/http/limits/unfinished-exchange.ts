/**
 * Bound that ended an unfinished exchange: that of all clients (`count`, `bytes`) or that of its client
 * address (`address_count`, `address_bytes`).
 */
export type UnfinishedBound = 'count' | 'address_count' | 'bytes' | 'address_bytes';

/**
 * An exchange in the lists of `UnfinishedExchanges`. The links are part of it: nearly every request with a body is
 * unfinished for the microseconds between its head and its body, and so entering a list allocates nothing.
 */
export abstract class UnfinishedExchange {
  /** Links, used only by the list that the exchange is in. */
  older: UnfinishedExchange | undefined = undefined;
  newer: UnfinishedExchange | undefined = undefined;
  list: UnfinishedList | undefined = undefined;
  /** Share of its client address, set when it is first needed. */
  share: AddressShare | undefined = undefined;
  /** Memory of its body. */
  bodyBytes = 0;

  /** Key of the client address for limits; reading it may cost a system call. */
  abstract readonly clientKey: string;

  /** Ends the exchange because a bound was exceeded. */
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

/** Unfinished exchanges and body memory of one client address. */
export class AddressShare {
  readonly key: string;
  readonly exchanges: UnfinishedList = new UnfinishedList();
  /** Memory of its bodies, including requests being served. */
  bodyBytes = 0;

  constructor(key: string) {
    this.key = key;
  }

  /** Its oldest unfinished exchange that holds memory. */
  get oldestWithBody(): UnfinishedExchange | undefined {
    let exchange = this.exchanges.oldest;
    while (exchange !== undefined && exchange.bodyBytes === 0) exchange = exchange.newer;
    return exchange;
  }
}
