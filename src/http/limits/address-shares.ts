import { AddressShare, type UnfinishedExchange } from './unfinished-exchange.ts';

/** Eight ranks per doubling: memory sizes of neighbouring ranks differ by about a twelfth. */
const RANKS_PER_DOUBLING = 8;

/** Shares of all client addresses, ranked by number of exchanges and by memory. */
export class AddressShares {
  readonly #shares = new Map<string, AddressShare>();
  readonly #byNumber = new Ranking<AddressShare>();
  readonly #byMemory = new Ranking<AddressShare>();

  /** Returns the share of an address and creates it if there is none. */
  of(key: string): AddressShare {
    let share = this.#shares.get(key);
    if (share === undefined) {
      share = new AddressShare(key);
      this.#shares.set(key, share);
    }
    return share;
  }

  add(share: AddressShare, exchange: UnfinishedExchange): void {
    share.exchanges.add(exchange);
    this.#byNumber.move(share, share.exchanges.size - 1, share.exchanges.size);
  }

  delete(share: AddressShare, exchange: UnfinishedExchange): void {
    share.exchanges.delete(exchange);
    this.#byNumber.move(share, share.exchanges.size + 1, share.exchanges.size);
    this.#forgetIfEmpty(share);
  }

  /** Adds to the memory of a share; a negative number reduces it. */
  addMemory(share: AddressShare, bytes: number): void {
    const before = memoryRank(share.bodyBytes);
    share.bodyBytes += bytes;
    this.#byMemory.move(share, before, memoryRank(share.bodyBytes));
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
