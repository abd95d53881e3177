/**
 * Operator functions for the records of credential refresh (spec/refresh.md#operator-commands): imports and changes of
 * enrolment records and orb keys, and the export of issued credentials.
 */
import { parseStrictJson, type StrictJson, StrictJsonError } from '../../credential/strict-json.ts';
import {
  describeUnknown,
  LONG_LINE,
  type ReadLine,
  readLines,
  readRows,
} from '../../membership/import-lines.ts';

/** Reason why a line of an import was refused (spec/refresh.md#imports, refused-lines). */
export type LineFault =
  | 'not_json'
  | 'line_too_long'
  | 'unknown_member'
  | 'missing_member'
  | 'invalid_id_comm'
  | 'invalid_text'
  | 'invalid_time'
  | 'invalid_status'
  | 'signup_taken'
  | 'conflict'
  | 'invalid_pem'
  | 'wrong_curve'
  | 'too_many_keys';

/** Refusal of a line of an import. The message contains the member and the expected form, but no value. */
export class LineRefused extends Error {
  override readonly name = 'LineRefused';
  readonly code: LineFault;

  constructor(code: LineFault, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Equal to the limit of the value parts of a custody package (spec/refresh.md#form-parts), which are compared with
 * these texts.
 */
const TEXT_LIMIT_BYTES = 256;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Members of a line by name. */
export type Members = ReadonlyMap<string, StrictJson>;

/**
 * Reads a line that is one JSON object.
 *
 * @param line - Text decoded from UTF-8, in which U+FFFD replaces invalid bytes.
 * @throws LineRefused `not_json` (also for a repeated name, and for a value that is not an object),
 *   `unknown_member`, `missing_member`
 */
export function readMembers(
  line: string,
  required: readonly string[],
  optional: readonly string[] = [],
): Members {
  if (line.includes('\uFFFD')) throw new LineRefused('not_json', 'expected UTF-8');
  const value = parse(line);
  if (value.kind !== 'object') {
    throw new LineRefused('not_json', `expected a JSON object, got ${value.kind}`);
  }
  const members = new Map(value.entries);
  const unknown = describeUnknown(members.keys(), [...required, ...optional]);
  if (unknown !== undefined) throw new LineRefused('unknown_member', unknown);
  const missing = required.filter((name) => !members.has(name));
  if (missing.length > 0) throw new LineRefused('missing_member', missing.join(', '));
  return members;
}

/**
 * Returns a member that is an opaque text.
 *
 * @throws LineRefused `invalid_text`
 */
export function textMember(members: Members, name: string): string {
  const value = members.get(name);
  if (value?.kind !== 'string' || !isRecordText(value.text)) {
    throw new LineRefused(
      'invalid_text',
      `${name}: expected a text of 1 to ${TEXT_LIMIT_BYTES} bytes without control characters`,
    );
  }
  return value.text;
}

function isRecordText(text: string): boolean {
  return text !== '' && Buffer.byteLength(text, 'utf8') <= TEXT_LIMIT_BYTES && !CONTROL_CHARACTER.test(text);
}

function parse(line: string): StrictJson {
  try {
    return parseStrictJson(line);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new LineRefused('not_json', error.message);
    throw error;
  }
}

const LINE_LIMIT_BYTES = 16_384;
const BATCH_LINES = 1_000;

/** Outcome of a parsed line. */
export type LineOutcome = 'added' | 'updated' | 'unchanged' | LineRefused;

/** One kind of record: parses a line and stores records. */
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
  /** Whether the signal ended the import; the counts then cover the lines before. */
  readonly isInterrupted: boolean;
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
  let batch: ReadLine<T, LineRefused>[] = [];
  let line = 0;

  const parseLine = (text: string | typeof LONG_LINE): T => {
    if (text === LONG_LINE)
      throw new LineRefused('line_too_long', `expected at most ${LINE_LIMIT_BYTES} bytes`);
    return kind.parse(text);
  };
  const flush = async (): Promise<void> => {
    const lines = batch;
    batch = [];
    const records = lines.flatMap(({ read }) =>
      read === undefined || read instanceof LineRefused ? [] : [read],
    );
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
    for await (const one of readRows(readLines(chunks, LINE_LIMIT_BYTES), parseLine, LineRefused)) {
      if (observer.signal.aborted) return { ...counts, isInterrupted: true };
      line = one.line;
      if (one.read !== undefined) batch.push(one);
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

/** Whether the error comes from a stream that the signal destroyed. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
