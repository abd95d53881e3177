import { constants } from 'node:os';

/** Signals by which a person or an orchestrator ends a process. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Signals by which the service drains. SIGPWR: the power fails, or LXC stops the container. SIGXCPU: the soft limit of
 * processor time has passed, and SIGKILL follows at the hard one.
 */
export const DRAIN_SIGNALS: readonly NodeJS.Signals[] = [...END_SIGNALS, 'SIGPWR', 'SIGXCPU'];

/** Ends this process at once, with the exit code of a process that the signal has ended. */
export function endBySignal(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}

/** Signal by which the service reads changed files again. */
const RELOAD_SIGNAL = 'SIGHUP';

/**
 * Signals without a meaning for the service. Without a listener they would end it, and SIGUSR1 would open a debugger.
 * SIGPROF is none of them: the profiler of Node is run by it, and would not get it.
 */
const IGNORED_SIGNALS = ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGIO', 'SIGSTKFLT'] as const;

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

/** Handlers of the signals that do not end the service. */
export interface ServiceSignalHandlers {
  /** Called for a signal that has no effect. */
  ignored(signal: NodeJS.Signals): void;
  reload(signal: NodeJS.Signals): void;
}

/**
 * Sets the handling of the other signals: one reads files again, those without a meaning are reported, and SIGQUIT ends
 * the service at once, without the default core file, which would contain keys.
 *
 * @returns A function that removes the listeners.
 */
export function listenToServiceSignals({ ignored, reload }: ServiceSignalHandlers): () => void {
  process.off('SIGUSR1', noteIgnoredSignal);
  for (const signal of IGNORED_SIGNALS) process.on(signal, ignored);
  process.off(RELOAD_SIGNAL, endBySignal).off(RELOAD_SIGNAL, ignoreBeforeReading).on(RELOAD_SIGNAL, reload);
  process.off('SIGQUIT', endBySignal).on('SIGQUIT', endBySignal);
  return () => {
    for (const signal of IGNORED_SIGNALS) process.off(signal, ignored);
    process.off(RELOAD_SIGNAL, reload);
    process.off('SIGQUIT', endBySignal);
    refuseDebugger();
  };
}

/** Does nothing: the files are read later, when the service starts. */
function ignoreBeforeReading(): void {}

/**
 * Sets the handling of signals until a command sets its own. To be called before the program is loaded, which takes a moment.
 *
 * @param argv - Arguments after the name of the program.
 */
export function handleEarlySignals(argv: readonly string[]): void {
  endProcessOneBySignals();
  refuseDebugger();
  if (argv.includes('serve')) process.off(RELOAD_SIGNAL, endBySignal).on(RELOAD_SIGNAL, ignoreBeforeReading);
}

/**
 * Lets the signals end this process if it is the first one of a container: the kernel drops signals to process 1 that have no
 * handler, so that a container which still starts, or runs another command, would be killed only when its time is up.
 */
export function endProcessOneBySignals(pid: number = process.pid): void {
  if (pid !== 1) return;
  for (const signal of [...DRAIN_SIGNALS, 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, endBySignal);
}
