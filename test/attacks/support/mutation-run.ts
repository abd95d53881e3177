/** Sends mutated requests over many connections, checks every answer, and keeps its progress in a file. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { type MutatedRequest, mutatedRequest } from './mutate-request.ts';
import { type Exchange, MutationConnection, type SeenAnswer } from './mutation-connection.ts';
import type { RequestTemplate } from './request-corpus.ts';

/** Progress of a run, from which another process can continue. */
export interface MutationState {
  readonly seed: number;
  /** Cases below this number are done. */
  done: number;
  /** Number of answers by status; status 0 is a connection that ended without an answer. */
  readonly statuses: Record<string, number>;
  /** Cases that broke a rule: number and rule. */
  readonly findings: string[];
  /** Resident memory of the server in MiB, once per block. */
  readonly residentMib: number[];
}

/** Server, requests and number of connections of a block of cases. */
export interface MutationTarget {
  readonly port: number;
  readonly corpus: readonly RequestTemplate[];
  readonly connections: number;
}

// The server closes an idle connection after 10 s and answers within `http.handlerTimeoutMs`, by default 30 s, so a complete
// request unanswered in this time never gets an answer.
const ANSWER_LIMIT_MS = 60_000;
/** For a request that looks complete although its head is damaged; the server may wait for more. */
const UNCLEAR_LIMIT_MS = 500;
const MAX_FINDINGS = 100;

/** Reads the state of an earlier run, or starts a new one. */
export function openState(file: string | undefined, seed: number): MutationState {
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as MutationState;
  return { seed, done: 0, statuses: {}, findings: [], residentMib: [] };
}

/** Replaces the file atomically, so that a killed run leaves a complete one. */
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
  // An answer that is not ready when the client half-closes is lost, so only requests that may be incomplete do that.
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

/** Returns the rule that an exchange broke, or undefined. */
function faultOf({ ids, framing, pieces }: MutatedRequest, exchange: Exchange): string | undefined {
  // A mutation may have damaged the id, but the server echoes it as sent.
  const sent = Buffer.concat(pieces);
  const { answers, isTimedOut, rest } = exchange;
  if (isTimedOut) return 'neither an answer nor a closed connection';
  const failed = answers.find(
    (answer) => answer.status >= 500 && answer.status !== 503 && !isVersionRefused(answer),
  );
  if (failed !== undefined) return `answered ${failed.status}`;
  const foreign = answers.find(
    ({ requestId }) => requestId?.includes('fuzz-') === true && !sent.includes(requestId),
  );
  if (foreign !== undefined) return `got the answer to ${foreign.requestId}`;
  if (framing === 'whole' && answers.length !== 1) return `${answers.length} answers to one complete request`;
  if (framing === 'whole' && rest > 0) return `${rest} bytes after the answer`;
  // A request that its mutation cut short is followed by bytes that the library refuses with its own error page.
  const served = answers.filter(({ requestId }) => requestId !== undefined);
  return served.length > ids.length ? `${served.length} requests served of ${ids.length} sent` : undefined;
}

/**
 * Whether the HTTP library itself refused a damaged `HTTP/1.1` with 505 or, if it is Node, a damaged method with 501, before
 * there was a request.
 */
function isVersionRefused({ status, requestId }: SeenAnswer): boolean {
  return (status === 505 || (IS_NODE_HTTP && status === 501)) && requestId === undefined;
}
