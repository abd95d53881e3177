/** A time as people and programs read it: UTC, ISO 8601 with milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
