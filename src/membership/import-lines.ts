import { type ErrorCode, ServiceError } from '../errors/index.ts';
import { isObject, type JsonObject, parseJsonText } from '../json.ts';

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
 * Parses a line of an import as a JSON object that has no members but these.
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
