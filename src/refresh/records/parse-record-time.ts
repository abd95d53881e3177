import type { StrictJson } from '../../credential/index.ts';

const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** 9999-12-31T23:59:59Z, the last second of RFC 3339; milliseconds mistaken for seconds are above it. */
const LAST_SECOND = 253_402_300_799;

/**
 * Parses a time of an import line: Unix seconds as a JSON integer, or RFC 3339 text.
 *
 * @returns Milliseconds since the epoch from 1970 to 9999; undefined for anything else.
 */
export function parseRecordTime(value: StrictJson | undefined): number | undefined {
  if (value?.kind === 'number') {
    const seconds = SECONDS.test(value.source) ? Number(value.source) : Number.POSITIVE_INFINITY;
    return seconds <= LAST_SECOND ? seconds * 1000 : undefined;
  }
  if (value?.kind !== 'string') return undefined;
  const [, year, month, day] = RFC_3339.exec(value.text) ?? [];
  // Date.parse takes 30 February for 2 March
  if (day === undefined || Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const time = Date.parse(value.text.toUpperCase());
  return time >= 0 && time <= LAST_SECOND * 1000 + 999 ? time : undefined;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
