/** Sends mutated requests over many connections, judges every answer, and keeps its progress in a file. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type MutatedRequest, mutatedRequest } from './mutate-request.ts';
import { type Exchange, MutationConnection, type SeenAnswer } from './mutation-connection.ts';
import type { RequestTemplate } from './request-corpus.ts';

/** Progress of a run; written to a file, it lets another process continue. */
export interface MutationState {
  readonly seed: number;
  /** Cases below this number are done. */
  done: number;
  /** Answers by status; 0 for a request whose connection ended without one. */
  readonly statuses: Record<string, number>;
  /** Cases that broke a rule: number and rule. */
  readonly findings: string[];
  /** Resident memory of the server in MiB, once per block. */
  readonly residentMib: number[];
}

/** What a block of cases runs against. */
export interface MutationTarget {
  readonly port: number;
  readonly corpus: readonly RequestTemplate[];
  readonly connections: number;
}

// The server ends an idle connection after 10 s, so a whole request without an answer in this time has none.
const ANSWER_LIMIT_MS = 20_000;
/** For a request that looks whole although its head was damaged; what looks whole to the server may differ. */
const UNCLEAR_LIMIT_MS = 500;
const MAX_FINDINGS = 100;

/** Reads the state of an earlier run, or begins one. */
export function openState(file: string | undefined, seed: number): MutationState {
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as MutationState;
  return { seed, done: 0, statuses: {}, findings: [], residentMib: [] };
}

/** Replaces the file, so that a run that is killed leaves a whole one. */
export function saveState(file: string | undefined, state: MutationState): void {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`);
  renameSync(`${file}.new`, file);
}

/** Runs the cases from `state.done` up to but excluding `end`. */
export async function runCases(target: MutationTarget, state: MutationState, end: number): Promise<void> {
  let next = state.done;
  const worker = async (): Promise<void> => {
    const connection = new MutationConnection(target.port);
    while (next < end && state.findings.length < MAX_FINDINGS) {
      const index = next++;
      const request = mutatedRequest(target.corpus, state.seed, index);
      const exchange = await send(connection, request);
      for (const status of exchange.answers.map((answer) => answer.status)) count(state, status);
      if (exchange.answers.length === 0) count(state, 0);
      const fault = faultOf(request, exchange);
      if (fault !== undefined) state.findings.push(`${index} (${request.templates.join(' + ')}): ${fault}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: target.connections }, worker));
  state.done = next;
}

async function send(connection: MutationConnection, request: MutatedRequest): Promise<Exchange> {
  const { framing, isHead, pieces } = request;
  if (framing === 'whole') {
    return connection.exchange(pieces, { expected: 1, endsAfter: false, isHead, limitMs: ANSWER_LIMIT_MS });
  }
  // An answer that is not ready when the client half-closes is lost, so that is done only where none may come.
  const endsAfter = !looksWhole(Buffer.concat(pieces));
  const limitMs = endsAfter ? ANSWER_LIMIT_MS : UNCLEAR_LIMIT_MS;
  const exchange = await connection.exchange(pieces, { expected: 1, endsAfter, isHead, limitMs });
  connection.close();
  return endsAfter ? exchange : { ...exchange, isTimedOut: false };
}

function looksWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = bytes.toString('latin1', 0, end);
  const [length, ...more] = [...head.matchAll(/\r\ncontent-length: *(\d+) *(?=\r\n|$)/gi)];
  if (length === undefined || more.length > 0 || /transfer-encoding/i.test(head)) return false;
  return Number(length[1]) <= bytes.length - end - 4;
}

function count(state: MutationState, status: number): void {
  state.statuses[status] = (state.statuses[status] ?? 0) + 1;
}

/** The rule that an exchange broke, or undefined. */
function faultOf({ ids, framing, pieces }: MutatedRequest, exchange: Exchange): string | undefined {
  // The id may have been damaged, but it is echoed as it was sent.
  const sent = Buffer.concat(pieces);
  const { answers, isTimedOut, rest } = exchange;
  if (isTimedOut) return 'neither an answer nor the end of the connection';
  const failed = answers.find(
    (answer) => answer.status >= 500 && answer.status !== 503 && !isVersionRefused(answer),
  );
  if (failed !== undefined) return `answered ${failed.status}`;
  const foreign = answers.find(
    ({ requestId }) => requestId?.includes('fuzz-') === true && !sent.includes(requestId),
  );
  if (foreign !== undefined) return `got the answer to ${foreign.requestId}`;
  if (framing === 'whole' && answers.length !== 1) return `${answers.length} answers to one whole request`;
  if (framing === 'whole' && rest > 0) return `${rest} bytes behind the answer`;
  // A request that was cut short by its mutation is followed by bytes that the library refuses with a page of its own.
  const served = answers.filter(({ requestId }) => requestId !== undefined);
  return served.length > ids.length ? `${served.length} requests served of ${ids.length} sent` : undefined;
}

/** The HTTP library refuses a damaged `HTTP/1.1` by itself with 505, before there is a request to answer. */
function isVersionRefused({ status, requestId }: SeenAnswer): boolean {
  return status === 505 && requestId === undefined;
}
