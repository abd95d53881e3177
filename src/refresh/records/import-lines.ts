import { LONG_LINE, readLines } from '../../membership/index.ts';
import { type LineFault, LineRefused } from './line-refused.ts';

const LINE_LIMIT_BYTES = 16_384;
const BATCH_LINES = 1_000;

/** Outcome of a line that could be read. */
export type LineOutcome = 'added' | 'updated' | 'unchanged' | LineRefused;

/** One kind of record: how a line is read and how lines are stored. */
export interface RecordKind<T> {
  /** @throws LineRefused */
  parse(line: string): T;
  /** Stores records of up to 1,000 lines; returns one outcome for each, in order. */
  store(records: readonly T[]): Promise<readonly LineOutcome[]>;
}

/** A refused line, for the operator. */
export interface RefusedLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly code: LineFault;
  readonly message: string;
}

/** Observer of an import. */
export interface ImportObserver {
  /** Called in the order of the lines; the import continues when it resolves. */
  readonly refuse: (line: RefusedLine) => Promise<void>;
  /** Called after each transaction. @param lines - Number of lines processed so far. */
  readonly reportProgress: (lines: number) => void;
  /** Ends the import before its next transaction. */
  readonly signal: AbortSignal;
}

/** Result of an import, in numbers of lines. */
export interface ImportResult {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Whether the signal ended it; the counts are those of the lines before. */
  readonly isInterrupted: boolean;
}

interface BatchLine<T> {
  readonly line: number;
  readonly read: T | LineRefused;
}

/**
 * Imports JSON Lines in transactions of 1,000 lines, in bounded memory. Blank lines are skipped. A refused
 * line does not affect the others.
 *
 * @param chunks - UTF-8, split at any position; ends or fails when the signal fires.
 * @throws ServiceError `store.unreachable`; earlier transactions stay
 */
export async function importLines<T>(
  chunks: AsyncIterable<Uint8Array | string>,
  kind: RecordKind<T>,
  observer: ImportObserver,
): Promise<ImportResult> {
  const counts = { added: 0, updated: 0, unchanged: 0, refused: 0 };
  let batch: BatchLine<T>[] = [];
  let line = 0;

  const flush = async (): Promise<void> => {
    const lines = batch;
    batch = [];
    const records = lines.flatMap(({ read }) => (read instanceof LineRefused ? [] : [read]));
    const outcomes = (records.length === 0 ? [] : await kind.store(records)).values();
    for (const { line: number, read } of lines) {
      const outcome = read instanceof LineRefused ? read : outcomes.next().value;
      if (outcome === undefined)
        throw new Error(`expected ${records.length} outcomes from the store, got fewer`);
      if (outcome instanceof LineRefused) {
        counts.refused++;
        await observer.refuse({ line: number, code: outcome.code, message: outcome.message });
      } else counts[outcome]++;
    }
    observer.reportProgress(line);
  };

  try {
    for await (const text of readLines(chunks, LINE_LIMIT_BYTES)) {
      if (observer.signal.aborted) return { ...counts, isInterrupted: true };
      line++;
      const read = readRecord(text, kind);
      if (read !== undefined) batch.push({ line, read });
      if (batch.length === BATCH_LINES) await flush();
    }
    if (observer.signal.aborted) return { ...counts, isInterrupted: true };
    await flush();
    return { ...counts, isInterrupted: false };
  } catch (error) {
    if (observer.signal.aborted && isAbort(error)) return { ...counts, isInterrupted: true };
    throw error;
  }
}

/** Whether the error is that of a stream that the signal destroyed. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Reads a record; returns undefined for a blank line. */
function readRecord<T>(text: string | typeof LONG_LINE, kind: RecordKind<T>): T | LineRefused | undefined {
  if (text === LONG_LINE) {
    return new LineRefused('line_too_long', `expected at most ${LINE_LIMIT_BYTES} bytes`);
  }
  if (text.trim() === '') return undefined;
  try {
    return kind.parse(text);
  } catch (error) {
    if (error instanceof LineRefused) return error;
    throw error;
  }
}
