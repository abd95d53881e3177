import type { CopyProgress, CopyWatch, RowCounts } from '../../../storage/index.ts';
import { type FileProgress, fileProgress, onSignals } from '../../output/progress.ts';
import type { CommandContext, CommandInput } from '../../program/command.ts';

const MIB = 1_048_576;

/**
 * Runs a copy of the store with its progress on standard error, unless `--quiet` is given; a signal ends it.
 *
 * @param checking - What is said when the copy is done and its check begins.
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

/** A number of bytes for a person. */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** Tables whose loss somebody would notice, in the order of the text. */
const SHOWN = [
  ['apps', 'apps'],
  ['nullifiers', 'nullifiers'],
  ['sub_bindings', 'holders'],
  ['issued_credentials', 'credentials'],
  ['signup', 'enrolments'],
] as const;

/** Rows of the tables that matter most, as text. */
export function rowSummary(rows: RowCounts): string {
  return SHOWN.map(([table, what]) => `${what} ${rows[table] ?? 0}`).join(', ');
}
