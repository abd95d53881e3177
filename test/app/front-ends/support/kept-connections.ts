import { setTimeout as delay } from 'node:timers/promises';
import { rpIdOf } from '../../../../src/semaphore/hashes.ts';
import { type BodyMaker, bodyMaker, groth16Body, LOAD_APP } from '../../../support/load.ts';
import {
  headerOf,
  type RawClient,
  type RawResponse,
  requestText,
} from '../../../support/server/raw-client.ts';
import { type FrontEndMark, frontEndOf } from './front-end-service.ts';

/** A connection that the service ended although no answer had said so. */
export interface CutConnection extends FrontEndMark {
  readonly atMs: number;
}

/** Opens a connection, in TLS or not. */
type Open = () => Promise<RawClient>;

const PAUSE_MS = 20;
/** Requests over a connection before another one is opened in its place: new ones are accepted at any time. */
const REQUESTS_PER_CONNECTION = 40;
const VERIFY = `POST /api/v4/verify/${rpIdOf(LOAD_APP)}`;
const GROTH16 = 'POST /api/v1/groth16/trapdoor-4';

/**
 * Clients that verify new nullifiers and check proofs over connections that they keep, each of which is at one front end.
 * They notice which connections are cut.
 */
export class KeptConnections {
  readonly cuts: CutConnection[] = [];
  readonly faults: string[] = [];
  /** Connections that ended before their first answer. */
  unanswered = 0;
  answered = 0;
  /** Life that answered last, by the number of its front end. */
  readonly lives: Map<number, string> = new Map();
  readonly #open: Open;
  readonly #nextBody: BodyMaker;
  /** `created_at` by the body of each acknowledged nullifier. */
  readonly #acknowledged = new Map<string, string>();
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  private constructor(open: Open, nextBody: BodyMaker) {
    this.#open = open;
    this.#nextBody = nextBody;
  }

  /** @param seed - Of nullifiers: two loads of one service need different ones. */
  static async start(open: Open, count: number, seed: string): Promise<KeptConnections> {
    const kept = new KeptConnections(open, await bodyMaker(seed));
    kept.#running = Promise.all(Array.from({ length: count }, () => kept.#keep()));
    return kept;
  }

  /** Waits until every connection has its last answer. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Sends every acknowledged nullifier again; adds faults. Returns their number. */
  async audit(): Promise<number> {
    const client = await this.#open();
    for (const [body, createdAt] of this.#acknowledged) {
      client.send(post(VERIFY, body));
      const text = (await client.response()).body.toString();
      const { message, created_at } = JSON.parse(text) as Record<string, string>;
      if (message !== 'Proof verified successfully (nullifier reuse)' || created_at !== createdAt)
        this.faults.push(`lost: a nullifier of ${createdAt} is answered ${text}`);
    }
    client.destroy();
    return this.#acknowledged.size;
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      let client: RawClient;
      try {
        client = await this.#open();
      } catch (error) {
        this.faults.push(`a connection was not accepted: ${String(error)}`);
        await delay(PAUSE_MS);
        continue;
      }
      await this.#use(client);
      client.destroy();
    }
  }

  async #use(client: RawClient): Promise<void> {
    let mark: FrontEndMark | undefined;
    for (let turn = 0; !this.#isOver && turn < REQUESTS_PER_CONNECTION; turn++) {
      let answer: RawResponse;
      try {
        answer = await this.#exchange(client, turn);
      } catch {
        if (mark === undefined) this.unanswered++;
        else this.cuts.push({ ...mark, atMs: performance.now() });
        return;
      }
      const of = frontEndOf(answer);
      if (mark !== undefined && mark.life !== of.life)
        this.faults.push(`a connection moved from ${mark.life} to ${of.life}`);
      mark = of;
      this.lives.set(of.index, of.life);
      // Idle ones of an address with too many, and all during a drain.
      if (headerOf(answer, 'connection') === 'close') return;
      await delay(PAUSE_MS);
    }
  }

  async #exchange(client: RawClient, turn: number): Promise<RawResponse> {
    const made = this.#nextBody();
    const isVerification = turn % 2 === 0;
    client.send(isVerification ? post(VERIFY, made.body) : post(GROTH16, groth16Body(made)));
    const answer = await client.response();
    this.answered++;
    const text = answer.body.toString();
    const { message, valid, created_at } = JSON.parse(text) as Record<string, unknown>;
    const isRight = isVerification ? message === 'Proof verified successfully' : valid === true;
    if (!isRight) this.faults.push(`${answer.status} ${text}`);
    else if (isVerification) this.#acknowledged.set(made.body, String(created_at));
    return answer;
  }
}

function post(line: string, body: string): string {
  return requestText(line, [`Content-Length: ${Buffer.byteLength(body)}`], body);
}
