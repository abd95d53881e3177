/** A service that asks for World ID 4.0, with clients, browsers and wallets. */

import type { VerificationPolicy } from '../../../../src/config/apps/policy.ts';
import { Browser4, type SignIn4 } from '../../../support/signin/browser4.ts';
import type { ClientOptions, TestClient } from '../../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../../support/signin/service.ts';
import type { Wallet4 } from '../../../support/signin/wallet4.ts';
import { addWallet4State } from '../../../support/test-wallet4.ts';

/** Relying party of the service. */
export const RP_ID = 'rp_0123456789abcdef';
/** Time after which the guard of a wallet refuses what it has proven. */
export const AFTER_GUARD_MS = 601_000;

/** A service for sign-in with World ID 4.0. */
export interface People {
  readonly service: SigninService;
  /** Adds a client; it accepts both versions of World ID by default. */
  client(options?: ClientOptions, policy?: Partial<VerificationPolicy>): Promise<TestClient>;
  browser(client: TestClient): Browser4;
  /** Answers until the sign-in is decided; returns the version or the error of each answer. */
  prove(signIn: SignIn4, wallet: Wallet4): Promise<string[]>;
  /** Signs a person in; returns the `sub`. */
  signIn(browser: Browser4, wallet: Wallet4): Promise<string>;
}

/** Longest number of requests that one sign-in takes in a test. */
const MAX_ROUNDS = 6;

/** Starts the service; `settings` replace or add some. */
export async function startPeople(
  settings: Readonly<Record<string, string>> = {},
  now?: () => number,
): Promise<People> {
  const service = await startSigninService({
    settings: { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': RP_ID, ...settings },
    ...(now === undefined ? {} : { now }),
  });
  await addWallet4State(service.store);
  const prove = async (signIn: SignIn4, wallet: Wallet4): Promise<string[]> => {
    const answers: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answered = await wallet.answer(await signIn.link(), service.store);
      answers.push('error' in answered ? answered.error : answered.protocol);
      if ((await signIn.settle()).status !== 'waiting') return answers;
    }
    throw new Error(`the sign-in is not decided after ${answers}`);
  };
  return {
    service,
    async client(options = {}, policy = {}) {
      const client = await service.addClient(options);
      const stored = await service.store.apps.findByAppId(client.clientId);
      if (stored)
        await service.store.apps.update(
          client.clientId,
          { policy: { ...stored.policy, ...policy } },
          Date.now(),
        );
      return client;
    },
    browser: (client) => new Browser4(service.baseUrl, client),
    prove,
    async signIn(browser, wallet) {
      const signIn = await browser.begin();
      await prove(signIn, wallet);
      return String((await signIn.claims()).sub);
    },
  };
}
