import { parseValidity } from '../../config/values/validity.ts';

/**
 * Returns when a credential expires, by the calendar in UTC (spec/credential.md#validity): years and months
 * keep the day and time of day, and a day that the month does not have becomes its last day.
 *
 * @param validity - `P<n>Y`, `P<n>M`, `P<n>D` or `PT<n>S`, as in `refresh.validity`.
 * @param unixSeconds - Time of issuance, whole seconds.
 * @returns Unix seconds.
 */
export function expiryOf(validity: string, unixSeconds: number): number {
  const parsed = parseValidity(validity);
  if (parsed === undefined) throw new RangeError(`expected a validity like P1Y, got ${validity}`);
  const { count, unit } = parsed;
  if (unit === 'S') return unixSeconds + count;
  if (unit === 'D') return unixSeconds + 86_400 * count;
  const date = new Date(unixSeconds * 1000);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + (unit === 'Y' ? 12 * count : count));
  // The day overflowed into the next month; day 0 is the last day of the previous one.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() / 1000;
}
