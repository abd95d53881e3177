/** Texts for numbers, times and values, in English with thousands separators. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Units of time, the largest first, in seconds. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a whole number: `12,345`. */
export function formatCount(count: number): string {
  return WHOLE.format(count);
}

/** Formats a number of things: `1 row`, `1,200 rows`. */
export function formatAmount(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a number to three significant digits: `0.125`, `3.5`, `1,250`. */
export function formatFigure(value: number): string {
  if (Math.abs(value) >= 100) return formatCount(value);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value);
}

/** Formats a time in seconds in the unit that fits: `3.2 ms`, `1.5 s`. */
export function formatLatency(seconds: number): string {
  return seconds < 1 ? `${formatFigure(seconds * 1000)} ms` : `${formatFigure(seconds)} s`;
}

/** Formats a share from 0 to 1 in percent: `12.5 %`. */
export function formatShare(share: number): string {
  return `${formatFigure(share * 100)} %`;
}

/** Formats the distance of a time from `now`, both in milliseconds since the epoch: `3 hours ago`, `in 2 days`. */
export function formatRelative(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** Formats a length of time by its two largest units: `3 days 4 hours`, `12 minutes`, `45 seconds`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first === -1) return '0 seconds';
  const [unit, size] = UNITS[first] ?? ['second', 1];
  const head = formatAmount(Math.floor(whole / size), unit);
  const [next, nextSize] = UNITS[first + 1] ?? [undefined, 1];
  const rest = Math.floor((whole % size) / nextSize);
  return next === undefined || rest === 0 ? head : `${head} ${formatAmount(rest, next)}`;
}

/** Formats a time for reading to the second, in UTC. */
export function formatExact(time: number): string {
  return EXACT.format(time);
}

/** Formats the date of a time in words, in UTC: `3 March 2026`. */
export function formatDate(time: number): string {
  return DATE.format(time);
}

/** Formats a JSON value for a table: text as it is, lists by commas, null as a dash. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? '(none)' : value.join(', ');
  }
  return JSON.stringify(value, null, 2);
}

/** One member that a change set, changed or removed. */
export interface Difference {
  readonly name: string;
  /** Undefined if it was not there. */
  readonly before: string | undefined;
  /** Undefined if it is no longer there. */
  readonly after: string | undefined;
}

/** Lists the members in which two values differ. A value that is no object is one member without a name. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [old, fresh] = [membersOf(before), membersOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((name) => {
    const [one, other] = [textAt(old, name), textAt(fresh, name)];
    return one === other ? [] : [{ name, before: one, after: other }];
  });
}

function membersOf(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : { value };
}

function textAt(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return Object.hasOwn(members, name) ? formatValue(members[name]) : undefined;
}
