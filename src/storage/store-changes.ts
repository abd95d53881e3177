/** Shared memory of the threads that count changes together: one number. */
export type StoreChangeCells = Int32Array<SharedArrayBuffer>;

/** Counts the audited changes that the threads of a process made to a store, so that each drops what it has cached. */
export interface StoreChanges {
  /** Returns the count; a value that was read from the store at another count is out of date. */
  count(): number;
  /** Adds a change, after its commit. */
  add(): void;
}

/** Creates the memory of `createStoreChanges`, to be given to other threads. */
export function createStoreChangeCells(): StoreChangeCells {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Creates a counter that all threads with these cells share. */
export function createStoreChanges(cells: StoreChangeCells): StoreChanges {
  return {
    count: () => Atomics.load(cells, 0),
    add: () => void Atomics.add(cells, 0, 1),
  };
}

/** For a cache that follows changes by age only. */
export const NO_CHANGES: Pick<StoreChanges, 'count'> = { count: () => 0 };
