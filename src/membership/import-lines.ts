import type { ErrorCode } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonObject, parseJsonText } from '../json.ts';

const NEWLINE = 0x0a;

/** Stands for a line that is longer than the limit; its text is dropped. */
export const LONG_LINE: unique symbol = Symbol('line over the limit');

/**
 * Splits bytes into lines of UTF-8 text without their line ends, in memory bounded by `limitBytes`. A leading BOM
 * is dropped; bytes that are not UTF-8 become U+FFFD.
 *
 * @param chunks - Buffers or texts, split anywhere.
 * @returns The lines in order, `LONG_LINE` in place of a line over the limit. An empty last line is left out.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  limitBytes: number,
): AsyncGenerator<string | typeof LONG_LINE> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (): string | typeof LONG_LINE => {
    const line = size > limitBytes ? LONG_LINE : decode(parts);
    parts = [];
    size = 0;
    return line;
  };
  let isFirst = true;
  for await (const chunk of chunks) {
    let rest: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const part = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (size > 0 || end > limitBytes) {
        keep(part);
        yield withoutBom(take());
      } else yield withoutBom(decode([part]));
    }
    keep(rest);
  }
  if (size > 0) yield withoutBom(take());

  function keep(part: Uint8Array): void {
    size += part.length;
    if (size > limitBytes) parts = [];
    // Copied, since a stream may reuse its buffer.
    else if (part.length > 0) parts.push(Uint8Array.from(part));
  }

  function withoutBom(line: string | typeof LONG_LINE): string | typeof LONG_LINE {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst && typeof line === 'string' && line.startsWith('\uFEFF') ? line.slice(1) : line;
  }
}

function decode(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const bytes =
    parts.length === 1 && first
      ? Buffer.from(first.buffer, first.byteOffset, first.length)
      : Buffer.concat(parts);
  const text = bytes.toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

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

/**
 * Reads the lines of an import, of which all or none are to be stored. Blank lines are skipped.
 *
 * @param toRow - Returns undefined for a line to leave out.
 * @returns The rows in order.
 * @throws ServiceError of `toRow` for the first bad line, whose number the message then names
 */
export async function rowsOfLines<Row>(
  lines: AsyncIterable<string> | Iterable<string>,
  toRow: (line: string) => Row | undefined | Promise<Row | undefined>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    try {
      const row = await toRow(line);
      if (row !== undefined) rows.push(row);
    } catch (cause) {
      if (!(cause instanceof ServiceError)) throw cause;
      throw new ServiceError(cause.code, `line ${number}: ${cause.message}`, cause.details, { cause });
    }
  }
  return rows;
}

/**
 * Parses a line of an import as a JSON object with no other members than these.
 *
 * @throws ServiceError `code`
 */
export function parseLine(line: string, members: readonly string[], code: ErrorCode): JsonObject {
  let value: unknown;
  try {
    value = parseJsonText(line);
  } catch (cause) {
    throw new ServiceError(code, 'expected a JSON object', {}, { cause });
  }
  if (!isObject(value)) throw new ServiceError(code, 'expected a JSON object');
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 64));
    throw new ServiceError(code, `unknown member ${shown}, expected ${members.join(', ')}`);
  }
  return value;
}
