/** Process of the honest load of a soak: verifications, sign-ins and refreshes at a steady pace. */

import { messageOf } from '../../src/text.ts';
import { type HttpConnection, openConnection } from '../load/http/http-connection.ts';
import { TEMPLATE } from '../load/http/http-target.ts';
import { verifyRequests } from '../load/http/verify-requests.ts';
import { paced, paceOf } from '../load/paced.ts';
import { refreshRequests } from '../load/refresh/refresh-requests.ts';
import { signIn } from '../load/signin/signin-flow.ts';
import { createLoadWallet, type LoadWallet } from '../load/signin/signin-wallet.ts';
import { answerCalls } from '../support/child.ts';
import type { SoakTarget } from './target.ts';

/** Kinds of honest work. */
export type HonestKind = 'verify' | 'sign-in' | 'refresh';

/** Results of the operations of one kind in one phase. */
export interface HonestFigures {
  readonly succeeded: number;
  /** Number of failures by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** Time of each success in milliseconds, unordered. */
  readonly latenciesMs: readonly number[];
}

/** One phase of steady work. */
export interface HonestPhase {
  readonly target: SoakTarget;
  readonly seconds: number;
  readonly perSecond: Readonly<Record<HonestKind, number>>;
  /** Numbers of the first proof and the first enrolled holder that no earlier phase has used. */
  readonly firstProof: number;
  readonly firstHolder: number;
}

/** Calls of this process. */
export type HonestProcess = {
  run(phase: HonestPhase): Promise<Record<HonestKind, HonestFigures>>;
};

/** Number of loopback addresses that send verifications; other operations use a new one each time. */
const VERIFY_ADDRESSES = 20;
const ADDRESSES = 60_000;
const ANSWER_LIMIT_MS = 30_000;

let wallet: LoadWallet | undefined;
let nextAddress = 0;

/** Returns another address of 127.64.0.0/10 for each person. */
function personAddress(): string {
  const number = nextAddress++ % ADDRESSES;
  return `127.${64 + (number >> 14)}.${(number >> 7) & 127}.${(number & 127) + 1}`;
}

/** Counts the results of operations of one kind. */
class Tally implements HonestFigures {
  succeeded = 0;
  readonly failures: Record<string, number> = {};
  readonly latenciesMs: number[] = [];

  async time(operation: () => Promise<void>): Promise<void> {
    const began = performance.now();
    try {
      await withLimit(operation());
      this.succeeded += 1;
      this.latenciesMs.push(performance.now() - began);
    } catch (error) {
      const reason = messageOf(error).slice(0, 120);
      this.failures[reason] = (this.failures[reason] ?? 0) + 1;
    }
  }
}

async function withLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_LIMIT_MS} ms`)), ANSWER_LIMIT_MS);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function expectAnswer(connection: HttpConnection, pieces: readonly Uint8Array[]): Promise<void> {
  const { status, body } = await connection.send(pieces);
  if (status !== 200) throw new Error(`${status} ${body}`);
}

/** Runs work over a new connection. */
async function overNew(
  port: number,
  from: string,
  work: (connection: HttpConnection) => Promise<void>,
): Promise<void> {
  const connection = await openConnection('127.0.0.1', port, from);
  try {
    await work(connection);
  } finally {
    connection.close();
  }
}

/** Keeps the connections of the verifying sources; replaces those that ended. */
class SourcePool {
  readonly #port: number;
  readonly #idle = new Map<string, HttpConnection[]>();

  constructor(port: number) {
    this.#port = port;
  }

  async send(from: string, request: Uint8Array): Promise<void> {
    const idle = this.#idle.get(from) ?? [];
    this.#idle.set(from, idle);
    const kept = idle.pop();
    try {
      await this.#over(kept ?? (await openConnection('127.0.0.1', this.#port, from)), idle, request);
    } catch (error) {
      // A server may end an idle connection just when a request is sent; clients retry such a request.
      if (
        kept === undefined ||
        !(error instanceof Error && /closed the connection|EPIPE|RESET/.test(error.message))
      )
        throw error;
      await this.#over(await openConnection('127.0.0.1', this.#port, from), idle, request);
    }
  }

  close(): void {
    for (const connection of [...this.#idle.values()].flat()) connection.close();
    this.#idle.clear();
  }

  async #over(connection: HttpConnection, idle: HttpConnection[], request: Uint8Array): Promise<void> {
    try {
      await expectAnswer(connection, [request]);
    } catch (error) {
      connection.close();
      throw error;
    }
    idle.push(connection);
  }
}

answerCalls({
  async run({ target, seconds, perSecond, firstProof, firstHolder }: HonestPhase) {
    const { port, endpoints } = target;
    wallet ??= await createLoadWallet(endpoints.clientId);
    const tallies = { verify: new Tally(), 'sign-in': new Tally(), refresh: new Tally() };
    const paceFor = (kind: HonestKind): ReturnType<typeof paceOf> =>
      paceOf(perSecond[kind], 0, seconds * 1000);
    const verifications = await verifyRequests(TEMPLATE, paceFor('verify').count, 1, firstProof);
    const refreshes = await refreshRequests('without', firstHolder, paceFor('refresh').count);
    const pool = new SourcePool(port);
    await Promise.all([
      paced(paceFor('verify'), (index) =>
        tallies.verify.time(() =>
          pool.send(`127.32.0.${(index % VERIFY_ADDRESSES) + 1}`, verifications[index] as Uint8Array),
        ),
      ),
      paced(paceFor('sign-in'), (index) =>
        tallies['sign-in'].time(() =>
          overNew(port, personAddress(), (connection) => signIn(endpoints, connection, wallet, index)),
        ),
      ),
      paced(paceFor('refresh'), (index) =>
        tallies.refresh.time(() =>
          overNew(port, personAddress(), (connection) =>
            expectAnswer(connection, refreshes[index]?.pieces ?? []),
          ),
        ),
      ),
    ]);
    pool.close();
    return tallies;
  },
});
