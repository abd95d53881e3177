/** Offset of a clock from another one, in milliseconds; positive if it is ahead. */
export interface ClockOffset {
  readonly offsetMs: number;
  /** Whether the offset exceeds `limitMs` for every moment of the call at which the other clock may have been read. */
  exceeds(limitMs: number): boolean;
}

/**
 * Compares a clock with another one, which is read by a call.
 *
 * @param now - Milliseconds since the epoch.
 * @param readOther - Returns the milliseconds since the epoch by the other clock.
 */
export async function clockOffset(now: () => number, readOther: () => Promise<number>): Promise<ClockOffset> {
  const before = now();
  const other = await readOther();
  const after = now();
  const offsetMs = Math.round((before + after) / 2 - other);
  return { offsetMs, exceeds: (limitMs) => Math.abs(offsetMs) - (after - before) / 2 > limitMs };
}
