const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Largest time of a Date. */
const MAX_TIME = 8.64e15;

/** The forms that `parseTime` accepts, for messages. */
export const TIME_FORMS = 'whole milliseconds since 1970, or ISO 8601 like 2026-01-15T09:30:00Z';

/**
 * Parses a time as milliseconds since the epoch: a whole number of milliseconds (number or digits), or ISO 8601 with `Z`
 * or an offset; a date alone is the start of that day in UTC.
 *
 * @returns undefined for anything else.
 */
export function parseTime(value: unknown): number | undefined {
  let time: number | undefined;
  if (typeof value === 'number') time = value;
  else if (typeof value !== 'string') return undefined;
  else if (/^\d{1,16}$/.test(value)) time = Number(value);
  else if (ISO.test(value)) time = Date.parse(value);
  return Number.isInteger(time) && time !== undefined && time >= 0 && time <= MAX_TIME ? time : undefined;
}
