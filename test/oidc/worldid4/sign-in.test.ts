// Rules: spec/sign-in.md#world-id-40
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser4, type SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { addWallet4State } from '../../support/test-wallet4.ts';

let service: SigninService;

beforeAll(async () => {
  service = await startSigninService({
    settings: { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': 'rp_0123456789abcdef' },
  });
  await addWallet4State(service.store);
});

afterAll(() => service.end());

const clientWith = (binding: 'bound' | 'paired' | 'session'): Promise<TestClient> =>
  service.addClient({ binding });

/** Answers until the sign-in is decided; returns what the wallet answered to each request. */
async function prove(signIn: SignIn4, wallet: Wallet4): Promise<string[]> {
  const answers: string[] = [];
  for (let round = 0; round < 6; round++) {
    const answered = await wallet.answer(await signIn.link(), service.store);
    answers.push('error' in answered ? answered.error : answered.protocol);
    const { status } = await signIn.settle();
    if (status !== 'waiting') break;
  }
  return answers;
}

const LEVEL = (): string => `${service.baseUrl}/v1`;

describe('the first sign-in', () => {
  it('takes one proof that is bound to a new session', async () => {
    const browser = new Browser4(service.baseUrl, await clientWith('bound'));
    const signIn = await browser.begin();
    expect(await prove(signIn, new Wallet4({ person: 'ann' }))).toEqual(['4.0']);
    const claims = await signIn.claims();
    expect(claims.sub).toMatch(/^0x00[0-9a-f]{62}$/);
    expect(claims[LEVEL()]).toEqual({
      verification_level: 'orb',
      protocol_version: '4.0',
      credential: 'proof_of_human',
      binding: 'bound',
      one_per_person: true,
    });
  });

  it('takes a session and then a proof of uniqueness for it', async () => {
    const browser = new Browser4(service.baseUrl, await clientWith('paired'));
    const signIn = await browser.begin();
    expect(await signIn.page()).toContain('Step 1 of 2');
    expect(await prove(signIn, new Wallet4({ person: 'bob', kind: 'old' }))).toEqual([
      'malformed_request',
      '4.0',
      '4.0',
    ]);
    expect((await signIn.claims())[LEVEL()]).toMatchObject({ binding: 'paired', one_per_person: true });
  });

  it('takes a session alone', async () => {
    const browser = new Browser4(service.baseUrl, await clientWith('session'));
    const signIn = await browser.begin();
    expect(await prove(signIn, new Wallet4({ person: 'cem' }))).toEqual(['4.0']);
    expect((await signIn.claims())[LEVEL()]).toMatchObject({ binding: 'session', one_per_person: false });
  });
});

describe('a person who returns', () => {
  it.for(['bound', 'paired', 'session'] as const)(
    'proves the session in the same browser: %s',
    async (binding) => {
      const browser = new Browser4(service.baseUrl, await clientWith(binding));
      const wallet = new Wallet4({ person: `eve ${binding}` });
      const first = await browser.begin();
      await prove(first, wallet);
      const { sub } = await first.claims();
      const again = await browser.begin();
      expect(await again.page()).toContain('This browser was here before');
      expect(await prove(again, wallet)).toEqual(['4.0']);
      expect((await again.claims()).sub).toBe(sub);
    },
  );
});
