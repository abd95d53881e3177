import { AddressShare, type UnfinishedExchange } from './unfinished-exchange.ts';

/** Ranks of memory differ by a twelfth. */
const RANKS_PER_DOUBLING = 8;

/** The shares of all addresses that have one, ranked by their number of exchanges and by their memory. */
export class AddressShares {
  readonly #shares = new Map<string, AddressShare>();
  readonly #byNumber = new Ranking<AddressShare>();
  readonly #byMemory = new Ranking<AddressShare>();

  /** The share of an address, made when it has none. */
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

  /** Changes the memory of a share, to less with a negative number. */
  addMemory(share: AddressShare, bytes: number): void {
    const before = memoryRank(share.bodyBytes);
    share.bodyBytes += bytes;
    this.#byMemory.move(share, before, memoryRank(share.bodyBytes));
    this.#forgetIfEmpty(share);
  }

  /** The oldest unfinished exchange of the address that has most of them. */
  get oldestOfMost(): UnfinishedExchange | undefined {
    const [share] = this.#byNumber.fromHighest();
    return share?.exchanges.oldest;
  }

  /**
   * The oldest unfinished exchange that takes memory, of the address with such a one that takes most.
   *
   * @param last - Addresses that take less than this one are not looked at.
   */
  oldestOfMostMemory(last: AddressShare): UnfinishedExchange | undefined {
    for (const share of this.#byMemory.fromHighest()) {
      const { oldestWithBody } = share;
      if (oldestWithBody !== undefined || share === last) return oldestWithBody;
    }
    return undefined;
  }

  /** Memory of the address that takes most, to a twelfth. */
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

/** Items ordered by a small whole number, 0 for those that are not in it. Moving one costs the same however many there are. */
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

  /** The items from the highest rank down; of one rank the one that has been there for longest comes first. */
  *fromHighest(): Generator<T, void> {
    for (let rank = this.#highest; rank > 0; rank--) yield* this.#ranks[rank] ?? [];
  }
}
