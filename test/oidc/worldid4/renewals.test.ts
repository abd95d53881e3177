// Rules: spec/sign-in.md#world-id-40
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../support/server/start-app.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openRequest } from '../../support/test-wallet.ts';
import { type People, RP_ID, startPeople } from './support/people.ts';

const clock = { ahead: 0 };
let people: People;

beforeAll(async () => {
  people = await startPeople({}, () => Date.now() + clock.ahead);
});

afterAll(() => people.service.end());

beforeEach(() => {
  clock.ahead = 0;
});

describe('the request of an attempt', () => {
  it('is replaced before nodes refuse it, while no wallet has taken it', async () => {
    const signIn = await people.browser(await people.client()).begin();
    const first = await signIn.link();
    clock.ahead = 205_000;
    expect(await signIn.status()).toMatchObject({ status: 'waiting', attempt: 1 });
    clock.ahead = 215_000;
    expect(await signIn.status()).toMatchObject({ status: 'waiting', attempt: 2, expires_in: 240 });
    await expect(openRequest(first)).rejects.toThrow('404');
    expect(await people.prove(signIn, new Wallet4({ person: 'slow' }))).toEqual(['4.0']);
  });

  it('that a wallet has taken is replaced at its end, since the wallet proves the same again', async () => {
    const signIn = await people.browser(await people.client()).begin();
    const wallet = new Wallet4({ person: 'cut off' });
    const request = await openRequest(await signIn.link());
    // The answer is made and lost.
    await wallet.prepare(request, people.service.store);
    clock.ahead = 230_000;
    expect(await signIn.status()).toMatchObject({ status: 'connected', attempt: 1 });
    clock.ahead = 241_000;
    expect(await signIn.status()).toMatchObject({ status: 'waiting', attempt: 2 });
    expect(await people.prove(signIn, wallet)).toEqual(['4.0']);
  });

  it('is replaced as long as the sign-in lives, which costs the person no attempt', async () => {
    const signIn = await people.browser(await people.client()).begin();
    for (let attempt = 2; clock.ahead < 800_000; attempt++) {
      clock.ahead += 215_000;
      if (clock.ahead > 840_000) break;
      expect(await signIn.status()).toMatchObject({ status: 'waiting', attempt });
    }
    clock.ahead = 895_000;
    expect(await signIn.page()).not.toContain('last attempt');
    clock.ahead = 901_000;
    expect(await signIn.status()).toMatchObject({ code: 'session_not_found' });
  });

  it('of World ID 3.0 alone ends as before', async () => {
    const signIn = await people.browser(await people.client({}, { protocols: ['3.0'] })).begin();
    clock.ahead = 250_000;
    expect(await signIn.status()).toEqual({ status: 'waiting', expires_in: 50, code: null, detail: null });
    clock.ahead = 301_000;
    expect(await signIn.status()).toEqual({ status: 'expired', expires_in: 0, code: null, detail: null });
  });
});

describe('the relying party', () => {
  it('cannot become another one by a setting', async () => {
    const settings = { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': RP_ID };
    const dataDir = temporaryFolder('relying-party', onTestFinished);
    await (await startApp({ settings, dataDir })).stop();
    const other = { ...settings, 'signin.worldid4.rpId': 'rp_00000000000000aa' };
    const changed = { code: 'signin.relying_party_changed' };
    await expect(startApp({ settings: other, dataDir })).rejects.toMatchObject(changed);
    await (await startApp({ settings, dataDir })).stop();
  });
});
