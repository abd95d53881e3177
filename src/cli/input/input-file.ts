import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../errors/service-error.ts';
import { textOfFile } from '../../json.ts';
import { LONG_LINE, readLines } from '../../membership/import-lines.ts';
import { messageOf } from '../../text.ts';
import type { CommandContext } from '../program/command.ts';

const LINE_LIMIT_BYTES = 65_536;

function unreadable(path: string, cause: unknown): ServiceError {
  const reason = messageOf(cause);
  return new ServiceError('cli.usage', `${path} cannot be read: ${reason}`, {}, { cause });
}

/**
 * Opens a file named on the command line as a stream; `-` is standard input.
 *
 * @throws ServiceError `cli.usage` when it is missing or a folder
 */
export async function openInput(path: string, context: CommandContext): Promise<Readable> {
  if (path === '-') {
    return context.stdin;
  }
  try {
    if ((await stat(path)).isDirectory()) {
      throw new Error('it is a folder');
    }
    const file = await open(path, 'r');
    return file.createReadStream();
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Opens a file of JSON Lines named on the command line; `-` is standard input.
 *
 * @throws ServiceError `cli.usage` when it is missing or a folder
 */
export async function openLines(path: string, context: CommandContext): Promise<AsyncGenerator<string>> {
  return linesOf(await openInput(path, context));
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  for await (const line of readLines(stream, LINE_LIMIT_BYTES)) {
    // No exported line is that long. The yielded text is not JSON, so it is refused with its line number.
    yield line === LONG_LINE ? 'a line over the limit' : line;
  }
}

/**
 * Reads a file named on the command line, or standard input for `-`, to its end.
 *
 * @throws ServiceError `cli.usage` when it cannot be read or is larger than `maxBytes`
 */
export async function readInput(path: string, maxBytes: number, context: CommandContext): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await openInput(path, context)) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxBytes) throw new ServiceError('cli.usage', `${path} is larger than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks, length);
}

/** Reads a text file like `readInput`; it may be in UTF-16, and its byte order mark is dropped. */
export async function readText(path: string, maxBytes: number, context: CommandContext): Promise<string> {
  return textOfFile(await readInput(path, maxBytes, context));
}
