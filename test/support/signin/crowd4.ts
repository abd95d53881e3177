/** People who sign in by World ID 4.0 at the same time, and what a service must have recorded of them. */

import { sessionText } from '../../../src/oidc/worldid4/plan.ts';
import { decodeWord } from '../../../src/semaphore/words.ts';
import type { Store } from '../../../src/storage/store.ts';
import { ownsSession } from '../test-wallet4.ts';
import { Browser4 } from './browser4.ts';
import type { TestClient } from './clients.ts';
import { Wallet4 } from './wallet4.ts';

/** Relying party of the service where a crowd signs in. */
const CROWD_RP_ID = 'rp_0123456789abcdef';

/** Settings of the service where a crowd signs in: World ID 4.0, and no limit that a crowd would reach. */
export const CROWD_ENV: Readonly<Record<string, string>> = {
  PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true',
  PROOFGATE_SIGNIN_WORLDID4_RP_ID: CROWD_RP_ID,
  PROOFGATE_RATE_LIMITS_AUTHORIZE: '0',
  PROOFGATE_RATE_LIMITS_STATUS: '0',
  PROOFGATE_RATE_LIMITS_BRIDGE: '0',
  PROOFGATE_RATE_LIMITS_PAGE: '0',
  PROOFGATE_RATE_LIMITS_STATUS_PER_ADDRESS: '0',
};

/** Where people sign in. */
export interface CrowdOptions {
  readonly baseUrl: string;
  readonly client: TestClient;
  /** A connection for the wallets, which read roots and keys. */
  readonly store: Store;
}

/** The people, and the subs that each got. */
export class Crowd4 {
  readonly subs: Map<string, Set<string>> = new Map();
  /** Number of sign-ins that ended with tokens. */
  count = 0;
  readonly #options: CrowdOptions;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Signs a person in on a browser without a pointer. Rejects with a TypeError of `fetch` when the service ends before. */
  async signIn(person: string): Promise<void> {
    const { baseUrl, client, store } = this.#options;
    const signIn = await new Browser4(baseUrl, client).begin();
    // Its clock stands still, so that its guard refuses nothing.
    const wallet = new Wallet4({ person, kind: 'new', now: () => 0 });
    for (let round = 0; round < 4; round++) {
      const answered = await wallet.answer(await signIn.link(), store);
      if ('error' in answered) throw new Error(`the wallet of ${person} answered ${answered.error}`);
      const { status, code } = await signIn.settle();
      if (status === 'completed') break;
      if (status !== 'waiting') throw new Error(`the sign-in of ${person} is ${status}: ${code}`);
    }
    const { sub } = await signIn.claims();
    this.subs.set(person, (this.subs.get(person) ?? new Set()).add(String(sub)));
    this.count += 1;
  }

  /** Returns what is wrong: people of several subs, of none that is recorded, or with a session of another. */
  async faults(store: Store): Promise<string[]> {
    const { client } = this.#options;
    const faults: string[] = [];
    for (const [person, subs] of this.subs) {
      const [sub = ''] = subs;
      if (subs.size !== 1) faults.push(`${person} has ${subs.size} subs`);
      const { sessions } = await store.people.of(
        client.clientId,
        decodeWord(sub) ?? new Uint8Array(),
        Date.now(),
      );
      if (sessions.length === 0) faults.push(`${person} has no session`);
      for (const { sessionId } of sessions) {
        if (!ownsSession(person, CROWD_RP_ID, sessionText(sessionId)))
          faults.push(`${person} has the session of another`);
      }
    }
    return faults;
  }
}
