import { constants } from 'node:os';

/** Signals by which a person or an orchestrator ends a process. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Ends this process at once, with the exit code of a process that the signal has ended. */
export function endBySignal(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}

/** Signals without a meaning for the service. Without a listener they would end it, and SIGUSR1 would open a debugger. */
export const IGNORED_SIGNALS = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** Writes that a signal had no effect. */
export function noteIgnoredSignal(signal: NodeJS.Signals): void {
  process.stderr.write(`proofgate: ${signal} is ignored\n`);
}

/**
 * Ignores SIGUSR1, by which Node opens a debugger on a port of this machine: every local user could connect to it and read the
 * secrets of the process.
 */
export function refuseDebugger(): void {
  process.off('SIGUSR1', noteIgnoredSignal).on('SIGUSR1', noteIgnoredSignal);
}

/**
 * Sets the handling of the other signals: those without a meaning are reported, and SIGQUIT ends the service at once,
 * without the default core file, which would contain keys.
 *
 * @returns A function that removes the listeners.
 */
export function listenToServiceSignals(report: (signal: NodeJS.Signals) => void): () => void {
  process.off('SIGUSR1', noteIgnoredSignal);
  for (const signal of IGNORED_SIGNALS) process.off(signal, endBySignal).on(signal, report);
  process.off('SIGQUIT', endBySignal).on('SIGQUIT', endBySignal);
  return () => {
    for (const signal of IGNORED_SIGNALS) process.off(signal, report);
    process.off('SIGQUIT', endBySignal);
    refuseDebugger();
  };
}

/**
 * Lets the signals end this process if it is the first one of a container: the kernel drops signals to process 1 that have no
 * handler, so that a container which still starts, or runs another command, would be killed only when its time is up.
 */
export function endProcessOneBySignals(pid: number = process.pid): void {
  if (pid !== 1) return;
  for (const signal of [...END_SIGNALS, 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, endBySignal);
}
