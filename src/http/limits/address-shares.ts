/** Eight ranks per doubling: memory sizes of neighbouring ranks differ by about a twelfth. */
const RANKS_PER_DOUBLING = 8;

/** Shares of all client addresses, ranked by number of exchanges and by memory. */
export class AddressShares {
  readonly #totals: AddressTotals | undefined;
  readonly #shares = new Map<string, AddressShare>();
  readonly #byNumber = new Ranking<AddressShare>();
  readonly #byMemory = new Ranking<AddressShare>();

  /** @param totals - Counts of the addresses in all front ends; undefined if this is the only one. */
  constructor(totals?: AddressTotals) {
    this.#totals = totals;
  }

  /** Returns the share of an address and creates it if there is none. */
  of(key: string): AddressShare {
    let share = this.#shares.get(key);
    if (share === undefined) {
      share = new AddressShare(key, this.#totals?.of(key));
      this.#shares.set(key, share);
    }
    return share;
  }

  add(share: AddressShare, exchange: UnfinishedExchange): void {
    share.exchanges.add(exchange);
    this.#byNumber.move(share, share.exchanges.size - 1, share.exchanges.size);
    share.total?.setExchanges(share.exchanges.size);
  }

  delete(share: AddressShare, exchange: UnfinishedExchange): void {
    share.exchanges.delete(exchange);
    this.#byNumber.move(share, share.exchanges.size + 1, share.exchanges.size);
    share.total?.setExchanges(share.exchanges.size);
    this.#forgetIfEmpty(share);
  }

  /** Adds to the memory of a share; a negative number reduces it. */
  addMemory(share: AddressShare, bytes: number): void {
    const before = memoryRank(share.bodyBytes);
    share.bodyBytes += bytes;
    this.#byMemory.move(share, before, memoryRank(share.bodyBytes));
    share.total?.setBodyBytes(share.bodyBytes);
    this.#forgetIfEmpty(share);
  }

  /** Oldest unfinished exchange of the address with the most of them. */
  get oldestOfMost(): UnfinishedExchange | undefined {
    const [share] = this.#byNumber.fromHighest();
    return share?.exchanges.oldest;
  }

  /**
   * Returns the oldest unfinished exchange that holds memory, from the address that holds the most memory among those
   * with such an exchange.
   *
   * @param last - Addresses that hold less memory than this one are not considered.
   */
  oldestOfMostMemory(last: AddressShare): UnfinishedExchange | undefined {
    for (const share of this.#byMemory.fromHighest()) {
      const { oldestWithBody } = share;
      if (oldestWithBody !== undefined || share === last) return oldestWithBody;
    }
    return undefined;
  }

  /** Memory in bytes of the address that holds the most, exact to about a twelfth. */
  get mostMemory(): number {
    const [share] = this.#byMemory.fromHighest();
    return share?.bodyBytes ?? 0;
  }

  #forgetIfEmpty(share: AddressShare): void {
    if (share.exchanges.size === 0 && share.bodyBytes === 0) this.#shares.delete(share.key);
  }
}

function memoryRank(bytes: number): number {
  return bytes === 0 ? 0 : 1 + Math.floor(RANKS_PER_DOUBLING * Math.log2(bytes));
}

/** Items ordered by rank, a small integer; items of rank 0 are not in the ranking. A move takes constant time. */
export class Ranking<T> {
  readonly #ranks: Set<T>[] = [];
  #highest = 0;

  move(item: T, from: number, to: number): void {
    if (from === to) return;
    if (from > 0) this.#ranks[from]?.delete(item);
    if (to > 0) {
      this.#ranks[to] ??= new Set();
      this.#ranks[to].add(item);
      if (to > this.#highest) this.#highest = to;
    }
    while (this.#highest > 0 && this.#ranks[this.#highest]?.size === 0) this.#highest--;
  }

  /** Yields the items from the highest rank down; within a rank, in the order in which they entered it. */
  *fromHighest(): Generator<T, void> {
    for (let rank = this.#highest; rank > 0; rank--) yield* this.#ranks[rank] ?? [];
  }
}

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

/** Counts of client addresses in all front ends. */
export interface AddressTotals {
  of(key: string): AddressTotal;
}

/** Counts of one client address: those of this front end, for the others, and the sums of theirs. */
export interface AddressTotal {
  setExchanges(own: number): void;
  setBodyBytes(own: number): void;
  readonly exchangesElsewhere: number;
  readonly bodyBytesElsewhere: number;
}

/** Unfinished exchanges and body memory of one client address. */
export class AddressShare {
  readonly key: string;
  /** Undefined if there is one front end. */
  readonly total: AddressTotal | undefined;
  readonly exchanges: UnfinishedList = new UnfinishedList();
  /** Memory of its bodies, including requests being served. */
  bodyBytes = 0;

  constructor(key: string, total?: AddressTotal) {
    this.key = key;
    this.total = total;
  }

  /** Its unfinished exchanges in all front ends. */
  get allExchanges(): number {
    return this.exchanges.size + (this.total?.exchangesElsewhere ?? 0);
  }

  /** Memory of its bodies in all front ends. */
  get allBodyBytes(): number {
    return this.bodyBytes + (this.total?.bodyBytesElsewhere ?? 0);
  }

  /** Its oldest unfinished exchange that holds memory. */
  get oldestWithBody(): UnfinishedExchange | undefined {
    let exchange = this.exchanges.oldest;
    while (exchange !== undefined && exchange.bodyBytes === 0) exchange = exchange.newer;
    return exchange;
  }
}
