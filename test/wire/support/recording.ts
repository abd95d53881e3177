/** Recorded answers of one interface, a JSON file below test/vectors/wire. */
import { readFileSync, writeFileSync } from 'node:fs';
import { IS_NEWER_UWS, IS_NODE_HTTP } from '../../support/server/http-library.ts';

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

/** Answers of another library, by interface, that differ from those of uWebSockets.js in `uws-pack`. */
type DifferingAnswers = Record<string, readonly RecordedAnswer[]>;
const NEWER_FILE = IS_NEWER_UWS ? fileOf('uws-newer') : undefined;
const DIFFERING_FILE = IS_NODE_HTTP ? fileOf('node-http') : NEWER_FILE;

function read<T>(file: URL): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

function write(file: URL, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 1)}\n`);
}

/** Returns the recorded answers by title; none while answers are recorded. */
export function readRecording(name: string): ReadonlyMap<string, RecordedAnswer> {
  if (IS_RECORDING) return new Map();
  const answers = read<RecordedAnswer[]>(fileOf(name));
  const differing = DIFFERING_FILE && read<DifferingAnswers>(DIFFERING_FILE)[name];
  return new Map([...answers, ...(differing ?? [])].map((answer) => [answer.title, answer]));
}

/** Replaces a recording; on another library, only what differs. */
export function writeRecording(name: string, answers: readonly RecordedAnswer[]): void {
  if (DIFFERING_FILE === undefined) {
    write(fileOf(name), answers);
    return;
  }
  const texts = new Set(read<RecordedAnswer[]>(fileOf(name)).map((answer) => JSON.stringify(answer)));
  const differing = answers.filter((answer) => !texts.has(JSON.stringify(answer)));
  const { [name]: _former, ...others } = read<DifferingAnswers>(DIFFERING_FILE);
  write(DIFFERING_FILE, differing.length === 0 ? others : { ...others, [name]: differing });
}
