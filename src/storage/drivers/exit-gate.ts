/**
 * Delays the exit of the process until calls into libsql have returned. `process.exit` terminates threads at
 * any point, and libsql aborts the process if its thread is terminated in the middle of a call: the exit code
 * would be lost.
 */

const WORKING = 0;
const HALTED = 1;
const MAX_WAIT_MS = 1000;

/** Shared memory of the two sides of a gate. */
export type GateCells = Int32Array<SharedArrayBuffer>;

export function createGateCells(): GateCells {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Runs work in the thread and returns its result; undefined, without running it, if the process has begun to exit. */
export function runGated<T>(cells: GateCells, work: () => T): T | undefined {
  Atomics.store(cells, WORKING, 1);
  try {
    return Atomics.load(cells, HALTED) === 0 ? work() : undefined;
  } finally {
    Atomics.store(cells, WORKING, 0);
    Atomics.notify(cells, WORKING);
  }
}

const gates = new Set<GateCells>();

/** Registers a thread: at exit, the process waits up to a second for its work, and no new work starts. */
export function haltAtExit(cells: GateCells): void {
  if (gates.size === 0) process.on('exit', haltAll);
  gates.add(cells);
}

/** Removes a thread that has ended. */
export function forgetAtExit(cells: GateCells): void {
  gates.delete(cells);
  if (gates.size === 0) process.off('exit', haltAll);
}

function haltAll(): void {
  halt(gates);
}

/** Waits up to a second for the work of threads, which start none after the call and can then be terminated. */
export function halt(threads: Iterable<GateCells>): void {
  const all = [...threads];
  for (const cells of all) Atomics.store(cells, HALTED, 1);
  const end = performance.now() + MAX_WAIT_MS;
  for (const cells of all) Atomics.wait(cells, WORKING, 1, Math.max(0, end - performance.now()));
}
