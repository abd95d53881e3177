import type { ErrorCode } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import { encodingOf, isObject, type JsonObject, parseJsonText } from '../json.ts';

const NEWLINE = 0x0a;
const NAME_SHOWN_CHARACTERS = 64;

/** Stands for a line that is longer than the limit; its text is dropped. */
export const LONG_LINE: unique symbol = Symbol('line over the limit');

const ENCODING_BYTES = 4;

/** Converts a text in UTF-16, known by its first bytes, to UTF-8; passes any other bytes unchanged. */
async function* asUtf8(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  let head: Uint8Array | undefined = new Uint8Array();
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    let bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (head !== undefined) {
      // Copied, since a stream may reuse its buffer.
      bytes = head.length === 0 && bytes.length >= ENCODING_BYTES ? bytes : Buffer.concat([head, bytes]);
      head = bytes.length < ENCODING_BYTES ? bytes : undefined;
      if (head !== undefined) continue;
      decoder = decoderOf(bytes);
    }
    yield decoder === undefined ? bytes : decoder.decode(bytes, { stream: true });
  }
  if (head !== undefined) yield decoderOf(head)?.decode(head) ?? head;
  else if (decoder !== undefined) yield decoder.decode();
}

function decoderOf(bytes: Uint8Array): TextDecoder | undefined {
  const encoding = encodingOf(bytes);
  return encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
}

/**
 * Splits bytes into lines of text without their line ends, in memory bounded by `limitBytes`. The text is in UTF-8 or, as
 * `encodingOf` finds out, in UTF-16. A leading BOM is dropped; bytes that are not UTF-8 become U+FFFD.
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
  for await (const chunk of asUtf8(chunks)) {
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

/** Line of an import: its record, why it was refused, or undefined if it is blank or left out. */
export interface ReadLine<Row, Refusal> {
  /** Line number, from 1. */
  readonly line: number;
  readonly read: Row | Refusal | undefined;
}

/**
 * Reads the lines of an import one by one. Blank lines have no record.
 *
 * @param toRow - Returns undefined for a line to leave out; throws a `Refusal` for a bad one.
 */
export async function* readRows<Row, Refusal extends Error, Line extends string | typeof LONG_LINE>(
  lines: AsyncIterable<Line> | Iterable<Line>,
  toRow: (line: Line) => Row | undefined | Promise<Row | undefined>,
  Refusal: abstract new (...values: never[]) => Refusal,
): AsyncGenerator<ReadLine<Row, Refusal>> {
  let line = 0;
  for await (const text of lines) {
    line++;
    let read: Row | Refusal | undefined;
    try {
      if (text === LONG_LINE || text.trim() !== '') read = await toRow(text);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      read = error;
    }
    yield { line, read };
  }
}

/**
 * Reads the lines of an import, of which all or none are to be stored.
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
  for await (const { line, read } of readRows(lines, toRow, ServiceError)) {
    if (read instanceof ServiceError)
      throw new ServiceError(read.code, `line ${line}: ${read.message}`, read.details, { cause: read });
    if (read !== undefined) rows.push(read);
  }
  return rows;
}

/** Describes the first member that is not among those of a line; undefined if all are. */
export function describeUnknown(members: Iterable<string>, known: readonly string[]): string | undefined {
  for (const member of members)
    if (!known.includes(member))
      return `${JSON.stringify(member.slice(0, NAME_SHOWN_CHARACTERS))}, expected ${known.join(', ')}`;
  return undefined;
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
  const unknown = describeUnknown(Object.keys(value), members);
  if (unknown !== undefined) throw new ServiceError(code, `unknown member ${unknown}`);
  return value;
}
