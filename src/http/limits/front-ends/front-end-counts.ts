import type { Config } from '../../../config/settings/types.ts';
import type { AddressTotal, AddressTotals } from '../address-shares.ts';
import type { ConnectionCount } from '../gate.ts';
import { createHashSecret, type KeyedHash, namedHash, type TextHash } from '../shared/keyed-hash.ts';
import { type CountRule, SharedTable, tableMemory } from '../shared/shared-table.ts';

/** Buckets of the table of a front end: 15,360 counts of addresses. */
const ADDRESS_BUCKETS = 1024;
/** Cells of a cache line: threads that write to one line wait for each other. */
const LINE_CELLS = 16;
/** Counts of addresses end with what they count, not with time. */
const NO_TIME = 0;

/** Memory in which front ends count for each other, one row each. It can be sent to a thread. */
export interface FrontEndCounts {
  /** Keys the hashes of the tables; never leaves the process. */
  readonly secret: Uint8Array;
  /** Open connections of each front end. */
  readonly connections: Int32Array<SharedArrayBuffer>;
  /** Requests being served by each front end, a cache line apart. */
  readonly serving: Int32Array<SharedArrayBuffer>;
  /** Counts of client addresses of each front end. */
  readonly addresses: readonly SharedArrayBuffer[];
}

export function createFrontEndCounts(frontEnds: number): FrontEndCounts {
  return {
    secret: createHashSecret(),
    connections: new Int32Array(new SharedArrayBuffer(frontEnds * Int32Array.BYTES_PER_ELEMENT)),
    serving: new Int32Array(new SharedArrayBuffer(frontEnds * LINE_CELLS * Int32Array.BYTES_PER_ELEMENT)),
    addresses: Array.from({ length: frontEnds }, () => tableMemory(ADDRESS_BUCKETS)),
  };
}

/** Gives back everything that a front end has counted, after its thread has ended. */
export function clearFrontEnd({ connections, serving, addresses }: FrontEndCounts, index: number): void {
  Atomics.store(connections, index, 0);
  Atomics.store(serving, index * LINE_CELLS, 0);
  const memory = addresses[index];
  if (memory !== undefined) new Int32Array(memory).fill(0);
}

/**
 * Returns the bounds of one front end: its share of those of all clients, so that their sum holds over all front ends
 * and a full one ends exchanges of those that fill it; and the bounds of an address as they are.
 */
export function frontEndLimits(http: Config['http'], frontEnds: number): Config['http'] {
  const shareOf = (bound: number, least: number): number => Math.max(least, Math.floor(bound / frontEnds));
  return {
    ...http,
    maxUnfinished: shareOf(http.maxUnfinished, 1),
    // A body of the largest size fits into every front end.
    maxBodyBytes: shareOf(http.maxBodyBytes, http.bodyLimitBytes),
  };
}

/** Open connections of all front ends. */
export class FrontEndConnections implements ConnectionCount {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #index: number;

  /** @param index - Front end that counts. The main thread only reads, and has none. */
  constructor({ connections }: FrontEndCounts, index = -1) {
    this.#cells = connections;
    this.#index = index;
  }

  get all(): number {
    let sum = 0;
    for (let index = 0; index < this.#cells.length; index++) sum += Atomics.load(this.#cells, index);
    return sum;
  }

  /** Those of this front end. */
  get own(): number {
    return Atomics.load(this.#cells, this.#index);
  }

  add(): void {
    Atomics.add(this.#cells, this.#index, 1);
  }

  remove(): void {
    Atomics.sub(this.#cells, this.#index, 1);
  }
}

/**
 * Requests being served by all front ends. Each may serve its share of the bound, and more while all together are below it:
 * one that a single client fills does not refuse what the others could serve.
 */
export class FrontEndServing {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #index: number;
  readonly #bound: number;
  readonly #share: number;

  /** @param bound - Largest number for all front ends. */
  constructor({ serving }: FrontEndCounts, index: number, bound: number) {
    this.#cells = serving;
    this.#index = index * LINE_CELLS;
    this.#bound = bound;
    this.#share = Math.floor(bound / (serving.length / LINE_CELLS));
  }

  /** Sets the number of this front end. */
  set(own: number): void {
    Atomics.store(this.#cells, this.#index, own);
  }

  /** Whether a front end that serves `own` may serve no further request. */
  isFull(own: number): boolean {
    if (own < this.#share) return false;
    let sum = own;
    for (let cell = 0; cell < this.#cells.length; cell += LINE_CELLS) {
      if (cell !== this.#index) sum += Atomics.load(this.#cells, cell);
    }
    return sum >= this.#bound;
  }
}

/** Bounds of an address, by which counts of a full bucket are compared. */
export type AddressBounds = Pick<Config['http'], 'maxUnfinishedPerAddress' | 'maxBodyBytesPerAddress'>;

/** Counts of client addresses in all front ends. Each writes to its own tables. */
export class FrontEndAddresses implements AddressTotals {
  readonly #exchanges: CountOfAll;
  readonly #bodyBytes: CountOfAll;

  constructor(counts: FrontEndCounts, index: number, bounds: AddressBounds) {
    this.#exchanges = new CountOfAll(counts, index, 'exchanges', bounds.maxUnfinishedPerAddress);
    this.#bodyBytes = new CountOfAll(counts, index, 'body bytes', bounds.maxBodyBytesPerAddress);
  }

  of(key: string): AddressTotal {
    return new FrontEndAddress(key, this.#exchanges, this.#bodyBytes);
  }
}

class FrontEndAddress implements AddressTotal {
  readonly #key: string;
  readonly #exchanges: CountOfAll;
  readonly #bodyBytes: CountOfAll;
  // Most addresses need one of the two.
  #exchangesHash: TextHash | undefined;
  #bodyBytesHash: TextHash | undefined;

  constructor(key: string, exchanges: CountOfAll, bodyBytes: CountOfAll) {
    this.#key = key;
    this.#exchanges = exchanges;
    this.#bodyBytes = bodyBytes;
  }

  setExchanges(own: number): void {
    this.#exchangesHash ??= this.#exchanges.hash.of(this.#key);
    this.#exchanges.set(this.#exchangesHash, own);
  }

  setBodyBytes(own: number): void {
    this.#bodyBytesHash ??= this.#bodyBytes.hash.of(this.#key);
    this.#bodyBytes.set(this.#bodyBytesHash, own);
  }

  get exchangesElsewhere(): number {
    this.#exchangesHash ??= this.#exchanges.hash.of(this.#key);
    return this.#exchanges.elsewhere(this.#exchangesHash);
  }

  get bodyBytesElsewhere(): number {
    this.#bodyBytesHash ??= this.#bodyBytes.hash.of(this.#key);
    return this.#bodyBytes.elsewhere(this.#bodyBytesHash);
  }
}

/** One kind of count of addresses. */
class CountOfAll {
  readonly hash: KeyedHash;
  readonly #own: SharedTable;
  readonly #others: readonly SharedTable[];
  readonly #rule: CountRule;

  constructor({ addresses, secret }: FrontEndCounts, index: number, name: string, limit: number) {
    const own = addresses[index];
    if (own === undefined)
      throw new RangeError(`expected a front end below ${addresses.length}, got ${index}`);
    this.hash = namedHash(secret, name);
    this.#own = new SharedTable(own);
    this.#others = addresses.filter((memory) => memory !== own).map((memory) => new SharedTable(memory));
    this.#rule = { limit, windowMs: Number.POSITIVE_INFINITY };
  }

  set(hash: TextHash, count: number): void {
    if (count === 0) this.#own.delete(hash);
    else this.#own.put(hash, count, this.#rule, NO_TIME);
  }

  elsewhere(hash: TextHash): number {
    let sum = 0;
    for (const table of this.#others) sum += table.read(hash, NO_TIME);
    return sum;
  }
}
