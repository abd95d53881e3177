/** Recorded answers of one interface, a JSON file below test/vectors/wire. */
import { readFileSync, writeFileSync } from 'node:fs';

/** An answer whose values that differ from run to run are replaced. */
export interface RecordedAnswer {
  readonly title: string;
  /** First line of the request, with names in place of variables. */
  readonly request: string;
  /** Status line; empty if the connection ended without an answer. */
  readonly status: string;
  readonly headers: readonly string[];
  /** Lines of the text, or a placeholder for a body that is not text. */
  readonly body: readonly string[];
  readonly connection: 'kept' | 'ended';
}

/** Whether answers are recorded instead of compared. */
export const IS_RECORDING: boolean = process.env.PROOFGATE_RECORD_WIRE === '1';

const fileOf = (name: string): URL => new URL(`../../vectors/wire/${name}.json`, import.meta.url);

/** Returns the recorded answers by title; none while answers are recorded. */
export function readRecording(name: string): ReadonlyMap<string, RecordedAnswer> {
  if (IS_RECORDING) return new Map();
  const answers = JSON.parse(readFileSync(fileOf(name), 'utf8')) as RecordedAnswer[];
  return new Map(answers.map((answer) => [answer.title, answer]));
}

/** Replaces a recording. */
export function writeRecording(name: string, answers: readonly RecordedAnswer[]): void {
  writeFileSync(fileOf(name), `${JSON.stringify(answers, null, 1)}\n`);
}
