/** What ends a wait before its answer: signals that nobody waits any more, and time limits. No I/O. */
export { Cancellation, type CancelObserver, type CancelSignal } from './cancel-signal.ts';
export { Deadlines, Timed } from './deadlines.ts';
