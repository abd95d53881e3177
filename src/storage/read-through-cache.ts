import { LRUCache } from 'lru-cache';
import { NO_CHANGES, type StoreChanges } from './store-changes.ts';

/** Settings of a cache over the store. */
export interface ReadThroughOptions<V> {
  /** Reads one value from the store; undefined means that there is none. */
  readonly read: (key: string) => Promise<V | undefined>;
  /** Maximum age of a value, counted from the start of its read. */
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  /** Most concurrent store reads, which bounds the load of a flood of unknown keys. */
  readonly maxReads: number;
  readonly now: () => number;
  /** A value that was read before one of these changes is read again. */
  readonly changes?: Pick<StoreChanges, 'count'> | undefined;
}

interface Entry<V> {
  readonly value: V;
  /** Start of the read: its time, and the count of changes. */
  readonly readAt: number;
  readonly change: number;
}

/** Values of the store by key, reused for a short time. An absent value is never cached. */
export interface ReadThroughCache<V> {
  /** Returns the value if it is cached and fresh; never reads the store. */
  peek(key: string): V | undefined;
  /** Returns the value, from the store unless cached and fresh; concurrent callers of a key share a read. */
  get(key: string): Promise<V | undefined>;
}

/**
 * Creates a cache in front of the store. Changes by other processes are seen within `maxAgeMs`, those of
 * `changes` immediately; newly added values are seen immediately, too, because a miss always reads the store.
 */
export function createReadThroughCache<V extends object>(
  options: ReadThroughOptions<V>,
): ReadThroughCache<V> {
  const { read, maxAgeMs, maxEntries, maxReads, now, changes = NO_CHANGES } = options;
  // With `max` the library would allocate room for all entries at once, which takes 10 ms at each start.
  const entries = new LRUCache<string, Entry<V>>({
    maxSize: maxEntries,
    sizeCalculation: () => 1,
  });
  const pending = new Map<string, Promise<V | undefined>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  function peek(key: string): V | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.change !== changes.count()) return undefined;
    return now() - entry.readAt <= maxAgeMs ? entry.value : undefined;
  }

  async function load(key: string): Promise<V | undefined> {
    if (running >= maxReads) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      const readAt = now();
      const change = changes.count();
      const value = await read(key);
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, readAt, change });
      return value;
    } finally {
      // Hands this reader's slot to the next waiting one.
      const next = waiting.shift();
      if (next) next();
      else running--;
      pending.delete(key);
    }
  }

  return {
    peek,
    get(key) {
      const known = peek(key);
      if (known !== undefined) return Promise.resolve(known);
      let reading = pending.get(key);
      if (!reading) {
        reading = load(key);
        pending.set(key, reading);
      }
      return reading;
    },
  };
}
