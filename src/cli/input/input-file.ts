import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../errors/index.ts';
import { messageOf } from '../../text.ts';
import type { CommandContext } from '../program/command.ts';

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
