import { parseValidity } from '../../config/values/validity.ts';

/**
 * When a credential ends, by the calendar in UTC (spec/credential.md#validity): years and months keep day and
 * time of day, and a day that the month does not have becomes its last one.
 *
 * @param validity - `P<n>Y`, `P<n>M`, `P<n>D` or `PT<n>S`, as `refresh.validity` has it.
 * @param unixSeconds - Time of issuance, whole seconds.
 * @returns Unix seconds.
 */
export function expiryOf(validity: string, unixSeconds: number): number {
  const parsed = parseValidity(validity);
  if (parsed === undefined) throw new RangeError(`no validity: ${validity}`);
  const { count, unit } = parsed;
  if (unit === 'S') return unixSeconds + count;
  if (unit === 'D') return unixSeconds + 86_400 * count;
  const date = new Date(unixSeconds * 1000);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + (unit === 'Y' ? 12 * count : count));
  // The day ran over into the next month; day 0 is the last of the one before.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() / 1000;
}
