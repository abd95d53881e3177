import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ImportObserver, ImportResult } from '../../refresh/records/import-lines.ts';
import type { Store } from '../../storage/store.ts';
import { openErrorLines } from '../output/error-lines.ts';
import { countingProgress, fileProgress, onSignals } from '../output/progress.ts';
import type { Command, CommandContext, CommandInput, CommandOption } from '../program/command.ts';
import { openInput, openLines } from './input-file.ts';

const QUIET_OPTION: CommandOption = { flags: '--quiet', description: 'no progress on standard error' };

/** A command that imports the lines of a file in one transaction. */
export interface WholeImport extends Pick<Command, 'path' | 'summary' | 'details'> {
  /** Name of the record of a line, such as `root`. */
  readonly noun: string;
  /** Stores the lines; returns their number. @throws ServiceError for the first bad line; nothing is stored then */
  importAll(
    lines: AsyncIterable<string>,
    store: Store,
    loaded: LoadedConfig,
    context: CommandContext,
  ): Promise<number>;
}

/** Creates a command that imports all lines of a file or none. */
export function wholeImport({ noun, importAll, ...command }: WholeImport): Command {
  return {
    ...command,
    arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
    options: [QUIET_OPTION],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      const lines = await openLines(input.argument('file'), context);
      return await context.withStore(loaded, async (store) => {
        const counted = input.has('quiet') ? lines : countingProgress(lines, 'lines read', context);
        const count = await importAll(counted, store, loaded, context);
        await context.print({ imported: count }, `imported ${count} ${noun}${count === 1 ? '' : 's'}`);
        return 0;
      });
    },
  };
}

/** Options of an import whose lines are stored or refused one by one. */
export const IMPORT_OPTIONS: readonly CommandOption[] = [
  { flags: '--dry-run', description: 'report what would happen and write nothing' },
  { flags: '--errors <file>', description: 'write every refused line to a file, as JSON Lines' },
  QUIET_OPTION,
];

/** Help text of such an import. */
export const IMPORT_DETAILS = `A refused line does not stop the others; the first 100 are shown as FILE:LINE: code: text. The exit code is 1
when any was refused. Ctrl-C ends after the lines in progress (a second one immediately); imported lines stay, and the
same file can be imported again: lines that are already stored count as unchanged.`;

/** One kind of import: reads bytes, writes to the store, reports progress and refused lines to the observer. */
export type Importer = (
  chunks: AsyncIterable<Uint8Array>,
  store: Store,
  observer: ImportObserver,
) => Promise<ImportResult>;

/**
 * Imports the file of the argument `file` (`-` is standard input): shows progress and refused lines, handles
 * signals, and prints the counts.
 *
 * @returns The exit code 0.
 * @throws ServiceError `import.refused_lines`, `import.interrupted`, `cli.usage`, `store.unreachable`
 */
export async function runImport(
  input: CommandInput,
  context: CommandContext,
  importer: Importer,
): Promise<number> {
  const loaded = await context.loadConfig();
  const abort = new AbortController();
  const stream = addAbortSignal(abort.signal, await openInput(input.argument('file'), context));
  const removeListeners = onSignals(() => abort.abort());
  try {
    const result = await context.withStore(loaded, async (store) =>
      follow(stream, abort.signal, input, context, async (chunks, observer) =>
        importer(chunks, store, observer),
      ),
    );
    await printResult(result, input.has('dryRun'), context);
    return 0;
  } finally {
    removeListeners();
    stream.destroy();
  }
}

/** Runs an import and shows its progress and its refused lines. */
async function follow(
  stream: Readable,
  signal: AbortSignal,
  input: CommandInput,
  context: CommandContext,
  run: (chunks: AsyncIterable<Uint8Array>, observer: ImportObserver) => Promise<ImportResult>,
): Promise<ImportResult> {
  const file = input.argument('file');
  const totalBytes = await sizeOf(file);
  const progress = input.has('quiet') ? undefined : fileProgress('lines', totalBytes, context);
  const note = progress?.note ?? context.note;
  const done = { bytes: 0, lines: 0 };
  try {
    const errors = await openErrorLines(file, input.option('errors'), note);
    try {
      return await run(counted(stream, done), {
        refuse: errors.write,
        reportProgress: (lines) => {
          done.lines = lines;
          progress?.reach(lines, done.bytes);
        },
        signal,
      });
    } finally {
      await errors.end();
    }
  } catch (error) {
    if (done.bytes > 0) {
      note(`the import ended after line ${done.lines}; imported lines stay, and it can be run again`);
    }
    throw error;
  } finally {
    progress?.end();
  }
}

async function printResult(result: ImportResult, isDryRun: boolean, context: CommandContext): Promise<void> {
  const { added, updated, unchanged, refused, isInterrupted } = result;
  const counts = `added ${added}, updated ${updated}, unchanged ${unchanged}, refused ${refused}`;
  await context.print(
    { added, updated, unchanged, refused, dry_run: isDryRun, interrupted: isInterrupted },
    isDryRun ? `dry run, nothing was written: ${counts}` : counts,
  );
  const lines = added + updated + unchanged + refused;
  if (isInterrupted) throw new ServiceError('import.interrupted', `interrupted after ${lines} lines`);
  if (refused > 0)
    throw new ServiceError('import.refused_lines', `${refused} of ${lines} lines were refused`);
}

/** Returns the size of a file in bytes; undefined for an input without a size, such as a pipe. */
async function sizeOf(file: string): Promise<number | undefined> {
  if (file === '-') return undefined;
  const stats = await stat(file);
  return stats.isFile() ? stats.size : undefined;
}

async function* counted(stream: Readable, done: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    done.bytes += bytes.length;
    yield bytes;
  }
}
