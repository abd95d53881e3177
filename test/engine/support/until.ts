/** Waits for a condition, turn by turn of the event loop; the test's own time limit ends a wait in vain. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
