/** Waits for a condition, checked each turn of the event loop, until the time limit of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
