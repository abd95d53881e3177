import { LRUCache } from 'lru-cache';

/** Settings of a cache over the store. */
export interface ReadThroughOptions<V> {
  /** Reads one value from the store; undefined means that there is none. */
  readonly read: (key: string) => Promise<V | undefined>;
  /** How long a value may be used after its reading began. */
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  /** Store reads that may run at once, so that a flood of unknown keys stays bounded. */
  readonly maxReads: number;
  readonly now: () => number;
}

/** Values of the store by key, used again for a short time. An absent value is never remembered. */
export interface ReadThroughCache<V> {
  /** The value if it is known and fresh, without I/O. */
  peek(key: string): V | undefined;
  /** The fresh value, read from the store when it is not known; concurrent callers of one key share one read. */
  get(key: string): Promise<V | undefined>;
}

/**
 * A cache in front of the store. Changes of other processes arrive within `maxAgeMs`; what was just added counts
 * at once, because a miss reads the store before it is an answer.
 */
export function createReadThroughCache<V extends object>(
  options: ReadThroughOptions<V>,
): ReadThroughCache<V> {
  const { read, maxAgeMs, maxEntries, maxReads, now } = options;
  const entries = new LRUCache<string, { readonly value: V; readonly readAt: number }>({ max: maxEntries });
  const pending = new Map<string, Promise<V | undefined>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  function peek(key: string): V | undefined {
    const entry = entries.get(key);
    return entry !== undefined && now() - entry.readAt <= maxAgeMs ? entry.value : undefined;
  }

  async function load(key: string): Promise<V | undefined> {
    if (running >= maxReads) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      const readAt = now();
      const value = await read(key);
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, readAt });
      return value;
    } finally {
      // a waiting reader takes over the place of this one
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
