/** Stops one part that has started. */
export type Undo = () => Promise<void> | void;

/**
 * Runs the steps of a start that failed, the last first, each whatever another throws: what ended the start is reported,
 * and a fault of a step follows from it or hides it.
 */
export async function undoAll(steps: readonly Undo[]): Promise<void> {
  for (const step of steps.toReversed()) {
    try {
      await step();
    } catch {}
  }
}
