import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { isServiceError } from '../../errors/index.ts';
import { messageOf } from '../../text.ts';

/** The reader of our output has gone, as in `proofgate roots list | head -1`. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Writes to a stream and waits while it is full; throws `OutputClosed` when nobody reads any more. */
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

/** Rows as aligned columns under a head; the last column is not padded. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * An error for a person on stderr: code, message and cure; with `--json` one JSON object.
 *
 * @param help - Words of the command whose help says what it takes; none for the help of all.
 */
export function describeFailure(error: unknown, isJson: boolean, help = ''): string {
  const code = isServiceError(error) ? error.code : 'internal.unforeseen';
  const message = messageOf(error);
  const cure = isServiceError(error, 'cli.usage')
    ? `See \`proofgate ${help === '' ? 'help' : `${help} --help`}\`.`
    : isServiceError(error)
      ? error.spec.cure
      : undefined;
  if (isJson) {
    return JSON.stringify({ error: { code, message, ...(cure === undefined ? {} : { cure }) } });
  }
  const trace = isServiceError(error) || !(error instanceof Error) ? '' : `\n${error.stack ?? ''}`;
  return `proofgate: ${code}: ${message}${cure === undefined ? trace : `\n  cure: ${cure}`}`;
}
