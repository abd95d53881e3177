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
