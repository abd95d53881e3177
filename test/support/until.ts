/** Waits for a condition, checked each turn of the event loop, until the time limit of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits as `until` does, but checks every 5 ms, for conditions that are costly or in another process. */
export async function pollUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
