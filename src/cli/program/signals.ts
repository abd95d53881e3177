const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls a listener at the first signal to end; a second one ends the process at once.
 *
 * @returns Removes the listener.
 */
export function onSignals(listener: () => void): () => void {
  for (const name of SIGNALS) process.once(name, listener);
  return () => {
    for (const name of SIGNALS) process.removeListener(name, listener);
  };
}
