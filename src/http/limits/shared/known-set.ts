import type { KeyedHash } from './keyed-hash.ts';
import type { CountRule, SharedTable } from './shared-table.ts';

/** The count of an entry is the time of its last use, so that the entry with the oldest one is lost. */
const BY_LAST_USE: CountRule = { limit: 1, windowMs: Number.POSITIVE_INFINITY };

/** Texts that a service knows, the same in all of its threads. One that is not used for long may be forgotten. */
export class KnownSet {
  readonly #table: SharedTable;
  readonly #hash: KeyedHash;

  constructor(table: SharedTable, hash: KeyedHash) {
    this.#table = table;
    this.#hash = hash;
  }

  /** Returns whether a text is known, and counts that as a use of it. */
  has(text: string): boolean {
    const now = Date.now();
    return this.#table.update(this.#hash.of(text), now, now);
  }

  add(text: string): void {
    const now = Date.now();
    this.#table.put(this.#hash.of(text), now, BY_LAST_USE, now);
  }

  delete(text: string): void {
    this.#table.delete(this.#hash.of(text));
  }
}
