import { setTimeout as delay } from 'node:timers/promises';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { Store } from '../../../src/storage/store.ts';
import { bodyMaker, LOAD_APP, type LoadBody } from '../../support/load.ts';
import { openRefreshClient, type RefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import {
  LOAD_ORB,
  type LoadRequest,
  loadRequests,
  loadSignupId,
  type SentRefresh,
  sendRefresh,
} from '../../support/refresh/load.ts';
import { enrolHolders, registerOrbKey } from '../../support/refresh/service.ts';
import { addClient, type TestClient } from '../../support/signin/clients.ts';
import { beginSignIn } from '../../support/signin/driver.ts';
import { registerLoadApp } from '../../support/signin/register-load-app.ts';
import { addWalletRoots, approve } from '../../support/test-wallet.ts';
import { pollUntil } from '../../support/until.ts';
import { Ledger, type Refusal } from './ledger.ts';

/** Settings of the nodes under this load. */
export const LOAD_ENV: Readonly<Record<string, string>> = {
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '0',
  PROOFGATE_RATE_LIMITS_REFRESH_PER_ID_COMM: '1',
};

const HOLDERS = 400;
const VERIFIERS = 6;
const REPEAT_EVERY = 4;
const AT_ONCE_EVERY = 5;
/** Repeated nullifiers are among the last so many. */
const LAST = 200;
/** A sign-in whose answer from the wallet was lost with a standby never settles. */
const SETTLE_LIMIT_MS = 10_000;
const PAUSE_AFTER_FAILURE_MS = 20;
/** Pauses leave processor time for other tests, unless `ROUNDS` asks for the long form. */
const IS_SHORT = process.env.ROUNDS === undefined;
const VERIFY_PAUSE_MS = IS_SHORT ? 60 : 0;
/** After a sign-in or a refresh, whose client has to prove. */
const PROVE_PAUSE_MS = IS_SHORT ? 500 : 0;
const NEW = 'Proof verified successfully';

/** What clients send to: the nodes, behind a balancer. */
export interface LoadTarget {
  readonly nodeUrls: readonly string[];
  readonly balancer: { readonly url: string };
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** Kinds of answers of a load without failures. */
export const ALL_SERVED: readonly string[] = [
  'refresh: 200',
  'refresh: 429',
  'token: 200',
  'token: 400',
  'verify: new',
  'verify: repeated',
];

/** Clients of a cluster that verify, sign in and refresh without end, and the record of what they were told. */
export class ClusterLoad {
  readonly ledger: Ledger = new Ledger();
  /** Requests of the refresh interface, for `auditIssuance`. */
  readonly refreshes: SentRefresh[] = [];
  readonly enrolled: readonly Uint8Array[] = holders().map(({ idComm }) => idComm);
  readonly #cluster: LoadTarget;
  readonly #client: TestClient;
  readonly #nextBody: () => LoadBody;
  readonly #refreshClient: RefreshClient;
  #running: Promise<unknown> | undefined;
  #isOver = false;
  /** Where the requests that are sent to all nodes at once go. */
  #direct: readonly string[];
  #holder = 0;

  private constructor(
    cluster: LoadTarget,
    client: TestClient,
    nextBody: () => LoadBody,
    refreshClient: RefreshClient,
  ) {
    this.#cluster = cluster;
    this.#direct = cluster.nodeUrls;
    this.#client = client;
    this.#nextBody = nextBody;
    this.#refreshClient = refreshClient;
  }

  /** Fills a store with what the clients need; returns their sign-in client. */
  static async prepare(store: Store): Promise<TestClient> {
    await registerLoadApp(store);
    await addWalletRoots(store);
    await registerOrbKey(store, LOAD_ORB.orbId, LOAD_ORB.pem, Date.now());
    for (const [index, holder] of holders().entries()) {
      const record = { orbId: LOAD_ORB.orbId, signupId: loadSignupId(nameOf(index)) };
      await enrolHolders(store, [holder], Date.now(), record);
    }
    return addClient(store);
  }

  /**
   * @param seed - Of nullifiers: two loads of one cluster need different ones.
   * @param targets - Whether some requests go to the nodes themselves, which may just be stopped.
   */
  static async create(
    cluster: LoadTarget,
    client: TestClient,
    seed: string,
    targets: 'nodes too' | 'balancer only' = 'nodes too',
  ): Promise<ClusterLoad> {
    const refreshClient = await openRefreshClient(cluster.balancer.url);
    const load = new ClusterLoad(cluster, client, await bodyMaker(seed), refreshClient);
    if (targets === 'balancer only') load.#direct = cluster.nodeUrls.map(() => cluster.balancer.url);
    return load;
  }

  start(): void {
    this.#isOver = false;
    this.#running = Promise.all([
      ...Array.from({ length: VERIFIERS }, () =>
        this.#repeat((turn) => this.#verifySome(turn), VERIFY_PAUSE_MS),
      ),
      this.#repeat(() => this.#signIn('ada'), PROVE_PAUSE_MS),
      this.#repeat(() => this.#signIn('blaise'), PROVE_PAUSE_MS),
      this.#repeat(() => this.#refresh(), PROVE_PAUSE_MS),
    ]);
  }

  /** Waits until so many further nullifiers were acknowledged. */
  async untilServed(count = 5): Promise<void> {
    const { createdAt } = this.ledger;
    const enough = createdAt.size + count;
    await pollUntil(() => createdAt.size >= enough);
  }

  /** Waits until there were answers of each of some kinds, as the ledger counts them. */
  async untilSeen(kinds: readonly string[], count = 1): Promise<void> {
    const { counts } = this.ledger;
    await pollUntil(() => kinds.every((kind) => (counts[kind] ?? 0) >= count));
  }

  /** Waits for the last answers. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Stops the load, audits what it did, and closes it. */
  async finish(): Promise<void> {
    await this.stop();
    await this.audit();
    await this.close();
  }

  async close(): Promise<void> {
    await this.#refreshClient.close();
  }

  /** Sends every acknowledged nullifier and used code to the nodes again; adds faults to the ledger. */
  async audit(): Promise<void> {
    const { ledger } = this;
    ledger.faults.push(...ledger.reusedAtFirstUse());
    const urls = this.#cluster.nodeUrls;
    const acknowledged = [...ledger.createdAt];
    let next = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (next < acknowledged.length) {
          const index = next++;
          const [body, createdAt] = acknowledged[index] as [string, string];
          const answer = await verify(urls[index % urls.length] ?? '', body);
          if (answer.status !== 200) ledger.faults.push(`audit: ${answer.status} ${answer.text}`);
          else if (answer.isNew || answer.createdAt !== createdAt) {
            ledger.faults.push(
              `lost: ${ledger.describe(body)} is ${answer.isNew ? 'new' : answer.createdAt}`,
            );
          }
        }
      }),
    );
    for (const [index, code] of [...ledger.redeemed].entries()) {
      const { status } = await this.#redeem(urls[index % urls.length] ?? '', code);
      if (status !== 400) ledger.faults.push(`lost: a used code is answered with ${status}`);
    }
    for (const token of ledger.revoked) {
      for (const url of urls) {
        const { status } = await fetch(`${url}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
        if (status !== 401) ledger.faults.push(`lost: a revoked token is answered with ${status}`);
      }
    }
  }

  async #repeat(work: (turn: number) => Promise<boolean>, pauseMs: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const isServed = await work(turn).catch((error: unknown) => {
        // The connection was cut or refused.
        if (!(error instanceof TypeError && error.cause)) throw error;
        this.ledger.count('no connection');
        return false;
      });
      await delay(isServed ? pauseMs : PAUSE_AFTER_FAILURE_MS);
    }
  }

  /** Verifies a new nullifier, one that was acknowledged before, or a new one at all nodes at once. */
  async #verifySome(turn: number): Promise<boolean> {
    const { createdAt } = this.ledger;
    if (turn % REPEAT_EVERY === 1 && createdAt.size > 0) {
      const last = [...createdAt.keys()].slice(-LAST);
      return this.#verify(this.#cluster.balancer.url, last[turn % last.length] ?? '');
    }
    const { body } = this.#nextBody();
    if (turn % AT_ONCE_EVERY !== 2) return this.#verify(this.#cluster.balancer.url, body);
    const calls = this.#direct.map((url) => this.#verify(url, body).catch(() => false));
    return (await Promise.all(calls)).some((isServed) => isServed);
  }

  async #verify(url: string, body: string): Promise<boolean> {
    // A request that fails may have been the first use, unless that was acknowledged before.
    const mayBeFirst = !this.ledger.createdAt.has(body);
    if (mayBeFirst) this.ledger.begin(body);
    const answer = await verify(url, body);
    if (answer.status !== 200) {
      this.ledger.refused('verify', answer);
      return false;
    }
    if (mayBeFirst) this.ledger.finish(body);
    this.ledger.verified(body, answer.isNew, answer.createdAt);
    return true;
  }

  /** A sign-in whose code is redeemed three times at once, at different nodes. */
  async #signIn(person: string): Promise<boolean> {
    const { ledger } = this;
    let code: string;
    try {
      const signIn = await beginSignIn(this.#cluster.balancer.url, {
        response_type: 'code',
        scope: 'openid',
        client_id: this.#client.clientId,
        redirect_uri: this.#client.redirectUri,
      });
      await approve(signIn.connectUrl, { person });
      await signIn.settle(SETTLE_LIMIT_MS);
      code = (await signIn.finish()).parameters.code ?? '';
    } catch (error) {
      if (error instanceof TypeError && error.cause) throw error;
      ledger.count('sign-in: not finished');
      return false;
    }
    if (code === '') {
      ledger.count('sign-in: refused');
      return false;
    }
    const urls = this.#direct;
    const answers = await Promise.all(
      [0, 1, 2].map((index) => this.#redeem(urls[index % urls.length] ?? '', code).catch(() => undefined)),
    );
    const winners = answers.filter((answer) => answer?.status === 200);
    if (answers.every((answer) => answer?.status === 400)) {
      ledger.faults.push('a code was taken for used at its first use');
    }
    if (winners.length > 1) ledger.faults.push(`${winners.length} redemptions of a code succeeded`);
    for (const answer of answers) {
      if (answer === undefined) continue;
      if (answer.status === 400 || answer.status === 200) ledger.count(`token: ${answer.status}`);
      else ledger.refused('token', answer);
    }
    const [winner] = winners;
    if (winner === undefined) return false;
    ledger.redeemed.add(code);
    // The other redemptions revoke the token; where they failed, it is revoked here.
    const revoked = await this.#post(this.#cluster.balancer.url, '/revoke', { token: winner.accessToken });
    if (revoked.status === 200) ledger.revoked.add(winner.accessToken);
    return true;
  }

  async #refresh(): Promise<boolean> {
    const name = nameOf(this.#holder++ % HOLDERS);
    const [request] = await loadRequests(this.#refreshClient, name, 'plain');
    const sent = await Promise.all([0, 1].map(() => this.#sendRefresh(request as LoadRequest)));
    return sent.every((each) => each.end !== undefined);
  }

  async #sendRefresh(request: LoadRequest): Promise<SentRefresh> {
    let sent: SentRefresh;
    try {
      sent = await sendRefresh(this.#refreshClient, request);
    } catch (error) {
      // A page of the balancer is not JSON.
      if (!(error instanceof SyntaxError)) throw error;
      sent = { holder: request.holder, package: request.package, sentAt: Date.now() };
    }
    const status = sent.end?.answer.status ?? 0;
    this.ledger.count(`refresh: ${status === 0 ? 'no answer' : status}`);
    if (status >= 500) {
      this.ledger.refused('refresh', {
        status,
        text: sent.end?.answer.body.error ?? '',
        isOfBalancer: false,
        retryAfter: sent.end?.answer.headers.get('retry-after') ?? null,
      });
      const { end: _end, ...unanswered } = sent;
      sent = unanswered;
    }
    this.refreshes.push(sent);
    return sent;
  }

  async #redeem(url: string, code: string): Promise<Refusal & { readonly accessToken: string }> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: this.#client.redirectUri };
    const answer = await this.#post(url, '/token', fields);
    const accessToken = /"access_token":"([^"]*)"/.exec(answer.text)?.[1] ?? '';
    return { ...answer, accessToken };
  }

  async #post(url: string, path: string, fields: Readonly<Record<string, string>>): Promise<Refusal> {
    const body = new URLSearchParams({
      client_id: this.#client.clientId,
      client_secret: this.#client.clientSecret,
      ...fields,
    });
    return textAnswer(await fetch(`${url}${path}`, { method: 'POST', body }));
  }
}

async function textAnswer(response: Response): Promise<Refusal> {
  return {
    status: response.status,
    text: await response.text(),
    isOfBalancer: !response.headers.has('x-request-id'),
    retryAfter: response.headers.get('retry-after'),
  };
}

async function verify(
  url: string,
  body: string,
): Promise<Refusal & { readonly isNew: boolean; readonly createdAt: string }> {
  const answer = await textAnswer(
    await fetch(`${url}/api/v4/verify/${rpIdOf(LOAD_APP)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
  );
  if (answer.status !== 200) return { ...answer, isNew: false, createdAt: '' };
  const { message, created_at: createdAt } = JSON.parse(answer.text) as Record<string, string>;
  return { ...answer, isNew: message === NEW, createdAt: createdAt ?? '' };
}

function nameOf(index: number): string {
  return `cluster ${index}`;
}

function holders(): ReturnType<typeof testHolder>[] {
  return Array.from({ length: HOLDERS }, (_, index) => testHolder(nameOf(index)));
}
