/** Formats a number with three significant digits, without exponent, thousands grouped. */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** Formats a factor as `3.4×`; an empty text if there is none. */
export function times(value: number | undefined): string {
  return value === undefined ? '' : `${threeDigits(value)}×`;
}
