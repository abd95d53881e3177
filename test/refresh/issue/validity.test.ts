import { describe, expect, it } from 'vitest';
import { expiryOf } from '../../../src/refresh/issue-credential.ts';
import { numbers } from '../../credential/support.ts';

const at = (iso: string): number => Date.parse(iso) / 1000;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Adds months by counting days of the calendar, without `Date`. */
function monthsLater(unixSeconds: number, months: number): number {
  let days = Math.floor(unixSeconds / 86_400);
  const timeOfDay = unixSeconds - days * 86_400;
  let [year, month] = [1970, 1];
  for (; days < 0; days += daysOfMonth(year, month)) {
    [year, month] = month === 1 ? [year - 1, 12] : [year, month - 1];
  }
  for (; days >= daysOfMonth(year, month); [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]) {
    days -= daysOfMonth(year, month);
  }
  let passed = -days;
  for (let count = 0; count < months; count += 1) {
    passed += daysOfMonth(year, month);
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
  const day = Math.min(days, daysOfMonth(year, month) - 1);
  return unixSeconds - timeOfDay + (passed + day) * 86_400 + timeOfDay;
}

describe('expiryOf', () => {
  it.each([
    // spec/credential.md#validity
    ['P3Y', 1_700_000_000, 1_794_694_400],
    ['P3Y', 1_709_208_000, 1_803_816_000],
  ])('adds %s to %i: %i', (validity, issued, expires) => {
    expect(expiryOf(validity, issued)).toBe(expires);
  });

  it.each([
    ['P1Y', '2024-02-29T00:00:00Z', '2025-02-28T00:00:00Z'],
    ['P4Y', '2024-02-29T23:59:59Z', '2028-02-29T23:59:59Z'],
    ['P4Y', '2096-02-29T12:00:00Z', '2100-02-28T12:00:00Z'],
    ['P10Y', '2026-12-31T23:59:59Z', '2036-12-31T23:59:59Z'],
    ['P1Y', '2023-02-28T00:00:00Z', '2024-02-28T00:00:00Z'],
    ['P1M', '2026-01-31T01:02:03Z', '2026-02-28T01:02:03Z'],
    ['P1M', '2028-01-31T01:02:03Z', '2028-02-29T01:02:03Z'],
    ['P1M', '2026-03-31T00:00:00Z', '2026-04-30T00:00:00Z'],
    ['P1M', '2026-12-31T00:00:00Z', '2027-01-31T00:00:00Z'],
    ['P120M', '2028-02-29T00:00:00Z', '2038-02-28T00:00:00Z'],
    ['P1D', '2028-02-28T06:00:00Z', '2028-02-29T06:00:00Z'],
    ['P365D', '2027-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    // a night in which European clocks change: the calendar is that of UTC
    ['P1D', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
    ['PT60S', '2026-12-31T23:59:30Z', '2027-01-01T00:00:30Z'],
    ['P1Y', '1968-02-29T00:00:00Z', '1969-02-28T00:00:00Z'],
    ['P1M', '1969-12-31T23:59:59Z', '1970-01-31T23:59:59Z'],
  ])('adds %s to %s: %s', (validity, issued, expires) => {
    expect(expiryOf(validity, at(issued))).toBe(at(expires));
  });

  it('agrees with counting days and seconds for 2,000 random dates', () => {
    const next = numbers('dates');
    for (let count = 0; count < 2000; count += 1) {
      const issued = Number(next(33)) - 2 ** 31;
      const months = Number(next(7)) + 1;
      const years = Number(next(3)) + 1;
      expect([issued, expiryOf(`P${months}M`, issued)]).toEqual([issued, monthsLater(issued, months)]);
      expect([issued, expiryOf(`P${years}Y`, issued)]).toEqual([issued, monthsLater(issued, 12 * years)]);
      expect(expiryOf(`P${months}D`, issued)).toBe(issued + months * 86_400);
      expect(expiryOf(`PT${months}S`, issued)).toBe(issued + months);
    }
  });

  it('refuses a duration of another form', () => {
    for (const text of ['', '3Y', 'P0Y', 'P03Y', 'P-1Y', 'P1.5Y', 'PT1M', 'P1Y1M', 'P1W', 'p1y', 'P1Y\n']) {
      expect(() => expiryOf(text, 0)).toThrow(RangeError);
    }
  });
});
