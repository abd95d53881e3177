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

/** Runs work in the thread, unless the process has begun to exit. */
export function runGated(cells: GateCells, work: () => void): void {
  Atomics.store(cells, WORKING, 1);
  try {
    if (Atomics.load(cells, HALTED) === 0) work();
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
  for (const cells of gates) Atomics.store(cells, HALTED, 1);
  const end = performance.now() + MAX_WAIT_MS;
  for (const cells of gates) Atomics.wait(cells, WORKING, 1, Math.max(0, end - performance.now()));
}
