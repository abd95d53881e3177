/** Period of validity of a credential, by the calendar in UTC: years, months, days, or plain seconds. */
export interface Validity {
  readonly count: number;
  readonly unit: 'Y' | 'M' | 'D' | 'S';
}

const FORM = /^(?:P([1-9][0-9]{0,9})([YMD])|PT([1-9][0-9]{0,9})S)$/;
// The fewest days in ten calendar years, if none of them is divisible by 100: two leap days.
const TEN_YEARS_IN_DAYS = 3652;
/** From 1 minute to 10 years (spec/credential.md#validity), in each unit. */
const BOUNDS: Readonly<Record<Validity['unit'], readonly [min: number, max: number]>> = {
  Y: [1, 10],
  M: [1, 120],
  D: [1, TEN_YEARS_IN_DAYS],
  S: [60, TEN_YEARS_IN_DAYS * 86_400],
};

/** Parses `P<n>Y`, `P<n>M`, `P<n>D` or `PT<n>S`; undefined for another form. The bounds are not checked. */
export function parseValidity(text: string): Validity | undefined {
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [, count, unit, seconds] = found;
  return seconds === undefined
    ? { count: Number(count), unit: unit as 'Y' | 'M' | 'D' }
    : { count: Number(seconds), unit: 'S' };
}

/** Returns the reason why a value of `refresh.validity` is not valid, or undefined. */
export function validityFault(text: string): string | undefined {
  const validity = parseValidity(text);
  if (validity === undefined) return `expected P<n>Y, P<n>M, P<n>D or PT<n>S, got ${JSON.stringify(text)}`;
  const [min, max] = BOUNDS[validity.unit];
  if (validity.count >= min && validity.count <= max) return undefined;
  const form = (count: number): string =>
    validity.unit === 'S' ? `PT${count}S` : `P${count}${validity.unit}`;
  return `expected 1 minute to 10 years, here ${form(min)} to ${form(max)}, got ${text}`;
}
