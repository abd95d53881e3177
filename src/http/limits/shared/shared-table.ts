import type { TextHash } from './keyed-hash.ts';

/** Count of a key and the end of its window, in milliseconds since the epoch. */
export interface Counted {
  readonly count: number;
  readonly endsAt: number;
}

/** Rule by which a key is counted. */
export interface CountRule {
  /** Count that is the limit of the key: of the entries of a full bucket, the one furthest below its limit is lost. */
  readonly limit: number;
  /** Length of a window. */
  readonly windowMs: number;
}

// A bucket has 512 bytes, and its parts begin at cache lines: the lock; the hashes of its entries from byte 8; their
// values from byte 128. Numbers have native byte order.
const BUCKET_BYTES = 512;
const BUCKET_WORDS = BUCKET_BYTES / Int32Array.BYTES_PER_ELEMENT;
const BUCKET_DOUBLES = BUCKET_BYTES / Float64Array.BYTES_PER_ELEMENT;
/** Entries of a bucket. */
const ENTRIES = 15;
const HASHES = 2;
const WORDS_PER_HASH = 2;
const VALUES = 16;
// Places of the values of an entry.
const COUNT = 0;
const LIMIT = 1;
const ENDS_AT = 2;
const VALUES_PER_ENTRY = 3;

// States of a lock.
const FREE = 0;
const HELD = 1;
/** Attempts to take a lock before its holder is assumed to have lost its processor. */
const SPINS = 1000;
/**
 * Number and length of pauses after that before its holder is assumed to have ended: longer than a thread waits for a
 * processor. If it has not ended, both change the bucket at once: a count is then wrong, and nothing else.
 */
const PAUSES = 250;
const PAUSE_MS = 1;

/** Creates the zeroed memory of a table. The system provides a page of it when it is first written. */
export function tableMemory(buckets: number): SharedArrayBuffer {
  return new SharedArrayBuffer(buckets * BUCKET_BYTES);
}

/**
 * Table in shared memory that counts keys in fixed windows, the same for all threads that attach to its memory. Its size
 * is fixed: an entry belongs to the bucket of its hash, and a new one takes the place of one whose window has ended, else
 * of the one with the smallest fraction of its limit. Each operation is atomic: it holds the lock of the bucket, during
 * which it only computes.
 */
export class SharedTable {
  readonly #words: Int32Array;
  readonly #values: Float64Array;
  readonly #lastBucket: number;

  /** @param memory - From `tableMemory`, of a power of two of buckets. */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#values = new Float64Array(memory);
    this.#lastBucket = memory.byteLength / BUCKET_BYTES - 1;
  }

  /** Adds to the count of a key, which starts at 0 in a new window if the key has none that is open. */
  add(hash: TextHash, amount: number, { limit, windowMs }: CountRule, now: number): Counted {
    const bucket = this.#lock(hash);
    const values = this.#values;
    const latest = now + windowMs;
    let entry = this.#find(bucket, hash);
    // A window that ends later than a new one began before the clock was set back.
    const isOpen = entry >= 0 && this.#isOpen(entry, now) && (values[entry + ENDS_AT] ?? 0) <= latest;
    if (entry < 0) entry = this.#replace(bucket, hash, now);
    const count = (isOpen ? (values[entry + COUNT] ?? 0) : 0) + amount;
    const endsAt = isOpen ? (values[entry + ENDS_AT] ?? 0) : latest;
    values[entry + COUNT] = count;
    values[entry + LIMIT] = limit;
    values[entry + ENDS_AT] = endsAt;
    this.#unlock(bucket);
    return { count, endsAt };
  }

  /** Returns the count of a key; 0 if it has no open window. */
  read(hash: TextHash, now: number): number {
    const bucket = this.#lock(hash);
    const entry = this.#find(bucket, hash);
    const count = entry >= 0 && this.#isOpen(entry, now) ? (this.#values[entry + COUNT] ?? 0) : 0;
    this.#unlock(bucket);
    return count;
  }

  /** Subtracts from the count of a key, which ends at 0 with its entry; does nothing if it has no open window. */
  subtract(hash: TextHash, amount: number, now: number): void {
    const bucket = this.#lock(hash);
    const entry = this.#find(bucket, hash);
    if (entry >= 0 && this.#isOpen(entry, now)) {
      const left = (this.#values[entry + COUNT] ?? 0) - amount;
      this.#values[entry + COUNT] = left;
      if (left <= 0) this.#values[entry + ENDS_AT] = 0;
    }
    this.#unlock(bucket);
  }

  /** Sets the count of a key, in a new window. */
  put(hash: TextHash, count: number, { limit, windowMs }: CountRule, now: number): void {
    const bucket = this.#lock(hash);
    let entry = this.#find(bucket, hash);
    if (entry < 0) entry = this.#replace(bucket, hash, now);
    this.#values[entry + COUNT] = count;
    this.#values[entry + LIMIT] = limit;
    this.#values[entry + ENDS_AT] = now + windowMs;
    this.#unlock(bucket);
  }

  /** Sets the count of a key that has an open window. Returns whether it has. */
  update(hash: TextHash, count: number, now: number): boolean {
    const bucket = this.#lock(hash);
    const entry = this.#find(bucket, hash);
    const isOpen = entry >= 0 && this.#isOpen(entry, now);
    if (isOpen) this.#values[entry + COUNT] = count;
    this.#unlock(bucket);
    return isOpen;
  }

  delete(hash: TextHash): void {
    const bucket = this.#lock(hash);
    const entry = this.#find(bucket, hash);
    if (entry >= 0) this.#values[entry + ENDS_AT] = 0;
    this.#unlock(bucket);
  }

  #lock({ low }: TextHash): number {
    const bucket = low & this.#lastBucket;
    const lock = bucket * BUCKET_WORDS;
    if (Atomics.compareExchange(this.#words, lock, FREE, HELD) !== FREE) this.#awaitLock(lock);
    return bucket;
  }

  #awaitLock(lock: number): void {
    for (let spins = 0; spins < SPINS; spins++) {
      if (Atomics.compareExchange(this.#words, lock, FREE, HELD) === FREE) return;
    }
    for (let pauses = 0; pauses < PAUSES; pauses++) {
      Atomics.wait(this.#words, lock, HELD, PAUSE_MS);
      if (Atomics.compareExchange(this.#words, lock, FREE, HELD) === FREE) return;
    }
  }

  #unlock(bucket: number): void {
    Atomics.store(this.#words, bucket * BUCKET_WORDS, FREE);
  }

  /** Returns the index of the values of the entry of a hash; -1 if there is none. */
  #find(bucket: number, { low, high }: TextHash): number {
    let at = bucket * BUCKET_WORDS + HASHES;
    for (let entry = 0; entry < ENTRIES; entry++, at += WORDS_PER_HASH) {
      if (this.#words[at] === low && this.#words[at + 1] === high) return valuesOf(bucket, entry);
    }
    return -1;
  }

  #isOpen(entry: number, now: number): boolean {
    return (this.#values[entry + ENDS_AT] ?? 0) > now;
  }

  /** Gives a hash the entry whose loss does the least harm. Returns the index of its values. */
  #replace(bucket: number, { low, high }: TextHash, now: number): number {
    const values = this.#values;
    let least = Number.POSITIVE_INFINITY;
    let chosen = 0;
    for (let entry = 0; entry < ENTRIES && least >= 0; entry++) {
      const at = valuesOf(bucket, entry);
      const fraction = this.#isOpen(at, now) ? (values[at + COUNT] ?? 0) / (values[at + LIMIT] ?? 1) : -1;
      if (fraction >= least) continue;
      least = fraction;
      chosen = entry;
    }
    const at = bucket * BUCKET_WORDS + HASHES + chosen * WORDS_PER_HASH;
    this.#words[at] = low;
    this.#words[at + 1] = high;
    return valuesOf(bucket, chosen);
  }
}

function valuesOf(bucket: number, entry: number): number {
  return bucket * BUCKET_DOUBLES + VALUES + entry * VALUES_PER_ENTRY;
}
