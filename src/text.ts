/** Helpers over texts for the server and the browser code; nothing of Node, no import. */

/** Message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A time in UTC, ISO 8601 with milliseconds. @param time - Milliseconds since the epoch. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}
