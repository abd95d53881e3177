/** Recorded answers of one interface, a JSON file below test/vectors/wire. */
import { readFileSync, writeFileSync } from 'node:fs';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';

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

/** Answers of `node:http`, by interface, that differ from those of uWebSockets.js. */
type NodeAnswers = Record<string, readonly RecordedAnswer[]>;
const NODE_FILE = fileOf('node-http');

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
  const differing = IS_NODE_HTTP ? (read<NodeAnswers>(NODE_FILE)[name] ?? []) : [];
  return new Map([...answers, ...differing].map((answer) => [answer.title, answer]));
}

/** Replaces a recording; on `node:http`, only what differs from the other one. */
export function writeRecording(name: string, answers: readonly RecordedAnswer[]): void {
  if (!IS_NODE_HTTP) {
    write(fileOf(name), answers);
    return;
  }
  const texts = new Set(read<RecordedAnswer[]>(fileOf(name)).map((answer) => JSON.stringify(answer)));
  const differing = answers.filter((answer) => !texts.has(JSON.stringify(answer)));
  const { [name]: _former, ...others } = read<NodeAnswers>(NODE_FILE);
  write(NODE_FILE, differing.length === 0 ? others : { ...others, [name]: differing });
}
