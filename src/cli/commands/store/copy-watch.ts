import type { CopyProgress, CopyWatch, RowCounts } from '../../../storage/backup/types.ts';
import { type FileProgress, fileProgress, onSignals } from '../../output/progress.ts';
import type { CommandContext, CommandInput } from '../../program/command.ts';

const MIB = 1_048_576;

/**
 * Runs a copy of the store; shows its progress unless `--quiet` is given, and aborts it on a signal.
 *
 * @param checking - Text of the note when the copy is done and its check begins.
 */
export async function watchedCopy<T>(
  input: CommandInput,
  context: CommandContext,
  checking: string,
  run: (watch: CopyWatch) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const removeListeners = onSignals(() => abort.abort());
  const isQuiet = input.has('quiet');
  let progress: FileProgress | undefined;
  let copied = 0;
  const onProgress = ({ bytes, totalBytes }: CopyProgress): void => {
    copied = bytes;
    if (isQuiet) return;
    progress ??= fileProgress('MiB', totalBytes, context);
    progress.reach(Math.floor(bytes / MIB), bytes);
  };
  const onCheck = (): void => {
    progress?.end();
    if (!isQuiet) context.note(`${mebibytes(copied)} copied; ${checking}`);
  };
  try {
    return await run({ onProgress, onCheck, signal: abort.signal });
  } finally {
    progress?.end();
    removeListeners();
  }
}

/** Formats a number of bytes. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** Tables in the summary, in order, and their names there. */
const SHOWN = [
  ['apps', 'apps'],
  ['nullifiers', 'nullifiers'],
  ['sub_bindings', 'holders'],
  ['issued_credentials', 'credentials'],
  ['signup', 'enrolments'],
] as const;

/** Formats the row counts of the most important tables. */
export function rowSummary(rows: RowCounts): string {
  return SHOWN.map(([table, what]) => `${what} ${rows[table] ?? 0}`).join(', ');
}
