/** How far a clock is ahead of another one, in milliseconds. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** Whether it is more than `limitMs` at whichever moment of the call the other clock was read. */
  exceeds(limitMs: number): boolean;
}

/**
 * Compares a clock with another one, which a call reads.
 *
 * @param now - Milliseconds since the epoch.
 * @param readOther - The same of the other clock.
 */
export async function clockOffset(now: () => number, readOther: () => Promise<number>): Promise<ClockOffset> {
  const before = now();
  const other = await readOther();
  const after = now();
  const offsetMs = Math.round((before + after) / 2 - other);
  return { offsetMs, exceeds: (limitMs) => Math.abs(offsetMs) - (after - before) / 2 > limitMs };
}
