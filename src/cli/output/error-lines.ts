import { open, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { RefusedLine } from '../../refresh/records/import-lines.ts';
import { messageOf } from '../../text.ts';
import { writeText } from './output.ts';

const SHOWN_LINES = 100;

/** Receives the refused lines of an import. */
export interface ErrorLines {
  write(refused: RefusedLine): Promise<void>;
  /** Shows how many lines were left out and closes the file. */
  end(): Promise<void>;
}

/**
 * Shows the first 100 refused lines of an import as `FILE:LINE: code: text` and writes all of them as JSON Lines.
 *
 * @param file - The imported file, as the operator named it.
 * @param outFile - File for all of them; an existing one is overwritten.
 * @param show - Shows a line on the screen.
 * @throws ServiceError `cli.usage` when the file cannot be written or is the imported one
 */
export async function openErrorLines(
  file: string,
  outFile: string | undefined,
  show: (line: string) => void,
): Promise<ErrorLines> {
  const out = outFile === undefined ? undefined : await openOutput(file, outFile);
  let count = 0;
  return {
    write: async ({ line, code, message }) => {
      count++;
      if (count <= SHOWN_LINES) show(`${file}:${line}: ${code}: ${message}`);
      if (!out) return;
      await writeText(out, `${JSON.stringify({ file, line, code, message })}\n`).catch((error: unknown) => {
        throw cannotWrite(outFile, out.errored ?? error);
      });
    },
    end: async () => {
      const hidden = count - SHOWN_LINES;
      if (hidden > 0) {
        const place = outFile === undefined ? '; --errors FILE keeps all of them' : ` in ${outFile}`;
        show(`… and ${hidden} more refused line${hidden === 1 ? '' : 's'}${place}`);
      }
      if (out) {
        out.end();
        await finished(out).catch((error: unknown) => {
          throw cannotWrite(outFile, error);
        });
      }
    },
  };
}

async function openOutput(file: string, outFile: string): Promise<Writable> {
  try {
    const output = await open(outFile, 'a', 0o600);
    const [input, target] = await Promise.all([file === '-' ? undefined : stat(file), output.stat()]);
    if (input?.ino === target.ino && input.dev === target.dev) {
      await output.close();
      throw new Error('it is the file to import');
    }
    if (target.isFile()) await output.truncate(0);
    const stream = output.createWriteStream();
    // without a listener, a full disk would end the process; pending writes get the error
    stream.on('error', () => undefined);
    return stream;
  } catch (cause) {
    throw cannotWrite(outFile, cause);
  }
}

function cannotWrite(outFile: string | undefined, cause: unknown): ServiceError {
  const reason = messageOf(cause);
  return new ServiceError('cli.usage', `--errors: ${outFile} cannot be written: ${reason}`, {}, { cause });
}
