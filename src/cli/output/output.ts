import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { isServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';

/** Thrown when the reader of the output has closed it, as in `proofgate roots list | head -1`. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Writes to a stream and waits while it is full; throws `OutputClosed` when its reader has closed it. */
export async function writeText(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.errored) {
    throw new OutputClosed();
  }
  if (!stream.write(text)) {
    try {
      await once(stream, 'drain');
    } catch (error) {
      throw new OutputClosed('', { cause: error });
    }
  }
}

/** Replaces characters that would act on a terminal, all control characters but line feeds and tabs. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\ufffd');
}

/** Value of a table cell; an absent one is shown as `-`. */
export type CellValue = number | bigint | string | null | undefined;

/** Returns the text of a table cell, `-` for an absent value. @param unit - Appended to a value, as in ` s`. */
export function cell(value: CellValue, unit = ''): string {
  return value === undefined || value === null ? '-' : `${value}${unit}`;
}

/** Columns of a table by their headings: the member that a column shows, or a function that returns its value. */
export type Columns<Item> = Readonly<
  Record<
    string,
    { [K in keyof Item]: Item[K] extends CellValue ? K : never }[keyof Item] | ((item: Item) => CellValue)
  >
>;

/** Formats items as aligned columns under their headings; the last column is not padded. */
export function textTable<Item>(items: readonly Item[], columns: Columns<Item>): string {
  const rows = items.map((item) =>
    Object.values(columns).map((column) =>
      cell(typeof column === 'function' ? column(item) : (item[column] as CellValue)),
    ),
  );
  const table = [Object.keys(columns), ...rows];
  const widths = Object.keys(columns).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  return table
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Describes an error for stderr: code, message and cure; with `--json` one JSON object.
 *
 * @param help - Words of the command whose help a usage error refers to; empty for the general help.
 */
export function describeFailure(error: unknown, isJson: boolean, help = ''): string {
  const code = isServiceError(error) ? error.code : 'internal.unforeseen';
  const message = messageOf(error);
  const cure = isServiceError(error, 'cli.usage')
    ? `See \`proofgate ${help === '' ? 'help' : `${help} --help`}\`.`
    : isServiceError(error)
      ? error.cure
      : undefined;
  if (isJson) {
    return JSON.stringify({ error: { code, message, ...(cure === undefined ? {} : { cure }) } });
  }
  const trace = isServiceError(error) || !(error instanceof Error) ? '' : `\n${error.stack ?? ''}`;
  return printable(`proofgate: ${code}: ${message}${cure === undefined ? trace : `\n  cure: ${cure}`}`);
}
