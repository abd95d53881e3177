import { constants } from 'node:os';

/** Signals by which a person or an orchestrator ends a process. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Ends this process at once, with the exit code of a process that the signal has ended. */
export function endBySignal(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}

/**
 * Lets the signals end this process if it is the first one of a container: the kernel drops signals to process 1 that have no
 * handler, so that a container which still starts, or runs another command, would be killed only when its time is up.
 */
export function endProcessOneBySignals(pid: number = process.pid): void {
  if (pid !== 1) return;
  for (const signal of END_SIGNALS) process.on(signal, endBySignal);
}
