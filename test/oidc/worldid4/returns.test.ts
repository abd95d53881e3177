// Rules: spec/sign-in.md#people
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { openRequest } from '../../support/test-wallet.ts';
import { AFTER_GUARD_MS, type People, startPeople } from './support/people.ts';

let people: People;
let bound: TestClient;

beforeAll(async () => {
  people = await startPeople();
  bound = await people.client({ binding: 'bound' });
});

afterAll(() => people.service.end());

const KNOWN = 'This browser was here before';
let persons = 0;
/** A wallet of somebody new, with a clock of its own. */
function somebody(options: { readonly kind?: 'old' | 'new' } = {}): {
  wallet: Wallet4;
  clock: { now: number };
} {
  const clock = { now: Date.now() };
  persons += 1;
  return { wallet: new Wallet4({ ...options, person: `person ${persons}`, now: () => clock.now }), clock };
}

describe('a known person', () => {
  it.for(['bound', 'paired'] as const)(
    'is the same one from a second installation, which adds a session to the audit log: %s',
    async (binding) => {
      const client = await people.client({ binding });
      const { wallet, clock } = somebody();
      const sub = await people.signIn(people.browser(client), wallet);
      clock.now += AFTER_GUARD_MS;
      expect(await people.signIn(people.browser(client), wallet.installAnew())).toBe(sub);
      const rows = await people.service.store.audit.list({ target: client.clientId }, 10);
      expect(rows.map(({ action, actor }) => [action, actor])).toContainEqual([
        'person.session_added',
        'system',
      ]);
      expect(JSON.stringify(rows)).not.toContain(sub.slice(2));
    },
  );

  it('is the same one within ten minutes without any pointer', async () => {
    const { wallet } = somebody();
    const sub = await people.signIn(people.browser(bound), wallet);
    expect(await people.signIn(people.browser(bound), wallet)).toBe(sub);
  });

  it('is the same one after a year without any pointer', async () => {
    const { wallet, clock } = somebody();
    const sub = await people.signIn(people.browser(bound), wallet);
    clock.now += 366 * 86_400_000;
    expect(await people.signIn(people.browser(bound), wallet)).toBe(sub);
  });

  it.for(['login_hint', 'id_token_hint'] as const)('is found by the %s of the app', async (hint) => {
    const { wallet, clock } = somebody();
    const first = await people.browser(bound).begin();
    await people.prove(first, wallet);
    const { sub, token } = await first.tokens();
    clock.now += AFTER_GUARD_MS;
    const again = await people.browser(bound).begin({ [hint]: hint === 'login_hint' ? sub : token });
    expect(await again.page()).toContain(KNOWN);
    await people.prove(again, wallet);
    expect((await again.claims()).sub).toBe(sub);
  });

  it('has claims, max_age and prompt as before', async () => {
    const { wallet } = somebody();
    const browser = people.browser(bound);
    await people.signIn(browser, wallet);
    const silent = await browser.authorize({ prompt: 'none' });
    expect(silent.headers.get('location')).toContain('error=login_required');
    const fresh = await browser.begin({ prompt: 'login', max_age: '0', acr_values: 'orb', nonce: 'n-1' });
    await people.prove(fresh, wallet);
    expect(await fresh.claims()).toMatchObject({ acr: 'orb', amr: ['pop'], nonce: 'n-1' });
  });

  it('keeps the protocol in a session of the browser and in refreshed tokens', async () => {
    const other = await startPeople({ 'signin.sessionSeconds': '3600', 'storage.cacheSeconds': '0' });
    try {
      const client = await other.client({ refreshTokens: true, namesAllResponseTypes: true });
      const browser = other.browser(client);
      const { wallet } = somebody();
      const signIn = await browser.begin({ scope: 'openid offline_access', prompt: 'consent' });
      await signIn.post('agree', { stay: 'on', offline: 'on' });
      await other.prove(signIn, wallet);
      const { claims, refresh } = await signIn.tokens();
      const level = claims[`${other.service.baseUrl}/v1`];
      expect(level).toMatchObject({ protocol_version: '4.0', binding: 'bound' });
      const silent = await browser.silent({ prompt: 'none' });
      expect(silent).toMatchObject({ sub: claims.sub, [`${other.service.baseUrl}/v1`]: level });
      expect(await refresh()).toMatchObject({ sub: claims.sub, [`${other.service.baseUrl}/v1`]: level });
      await other.service.store.apps.update(
        client.clientId,
        { policy: { environments: ['staging'], protocols: ['3.0'] } },
        Date.now(),
      );
      expect(await refresh()).toMatchObject({ error: 'invalid_grant' });
    } finally {
      await other.service.end();
    }
  });
});

describe('two people on one browser', () => {
  it('are never each other, and both return', async () => {
    const browser = people.browser(bound);
    const [one, two] = [somebody().wallet, somebody().wallet];
    const first = await people.signIn(browser, one);
    const signIn = await browser.begin();
    expect(await people.prove(signIn, two)).toEqual(['generic_error']);
    await signIn.post('other', { way: 'other' });
    expect(await people.prove(signIn, two)).toEqual(['4.0']);
    const second = String((await signIn.claims()).sub);
    expect(second).not.toBe(first);
    expect(await people.signIn(browser, two)).toBe(second);
    const back = await browser.begin();
    await back.post('other', { way: 'other' });
    expect(await back.page()).toContain(KNOWN);
    await people.prove(back, one);
    expect((await back.claims()).sub).toBe(first);
  });

  it('are not confused by an id_token_hint', async () => {
    const browser = people.browser(bound);
    const [one, two] = [somebody().wallet, somebody().wallet];
    const first = await browser.begin();
    await people.prove(first, one);
    const { token } = await first.tokens();
    await people.signIn(people.browser(bound), two);
    const hinted = await browser.begin({ id_token_hint: token });
    expect(await hinted.page()).not.toContain('value="other"');
    expect(await people.prove(hinted, two)).toEqual(['generic_error']);
    await hinted.post('cancel');
    expect(await hinted.finish()).toMatchObject({ error: 'access_denied' });
  });
});

describe('a pointer', () => {
  it('that was stolen signs nobody in, and tells no sub', async () => {
    const browser = people.browser(bound);
    const { wallet } = somebody();
    const sub = await people.signIn(browser, wallet);
    const thief = people.browser(bound);
    for (const [name, value] of browser.jar) thief.jar.set(name, value);
    const signIn = await thief.begin();
    const { plaintext } = await openRequest(await signIn.link());
    expect(JSON.stringify(plaintext)).not.toContain(sub.slice(2));
    expect(await signIn.page()).not.toContain(sub.slice(2));
    const again = await thief.begin();
    expect(await people.prove(again, somebody().wallet)).toEqual(['generic_error']);
    await again.post('cancel');
    expect(await again.finish()).not.toHaveProperty('code');
  });

  it('of another client finds nobody', async () => {
    const other = await people.client({ binding: 'bound' });
    const browser = people.browser(bound);
    const { wallet } = somebody();
    const sub = await people.signIn(browser, wallet);
    const known = browser.jar.get(`__Host-pg_known_${bound.clientId}`) ?? '';
    const there = people.browser(other);
    there.jar.set(`__Host-pg_known_${other.clientId}`, known);
    expect(await (await there.begin()).page()).not.toContain(KNOWN);
    expect(await (await there.begin({ login_hint: sub })).page()).not.toContain(KNOWN);
  });

  it('names nobody, and is there before the proof', async () => {
    const browser = people.browser(bound);
    const signIn = await browser.begin();
    const before = browser.jar.get(`__Host-pg_known_${bound.clientId}`);
    expect(before).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await people.prove(signIn, somebody().wallet);
    await signIn.claims();
    expect(browser.jar.get(`__Host-pg_known_${bound.clientId}`)).toBe(before);
  });
});

describe('a new beginning', () => {
  it('makes another person of one who lost everything, once', async () => {
    const { wallet, clock } = somebody();
    const sub = await people.signIn(people.browser(bound), wallet);
    clock.now += AFTER_GUARD_MS;
    const lost = await people.browser(bound).begin();
    expect(await people.prove(lost, wallet)).toEqual(['nullifier_replayed']);
    expect(await lost.page()).toContain('What helps');
    const code = `beginning_${'a'.repeat(43)}`;
    const { pointerHashOf } = await import('../../../src/oidc/transaction/plan-sign-in.ts');
    const { people: store } = people.service.store;
    await store.addBeginning(bound.clientId, pointerHashOf(code), Date.now(), Date.now() + 60_000);
    const [begun, raced] = [people.browser(bound), people.browser(bound)];
    const [anew, twin] = [await begun.begin({ login_hint: code }), await raced.begin({ login_hint: code })];
    expect(await people.prove(anew, wallet)).toEqual(['4.0']);
    const fresh = String((await anew.claims()).sub);
    expect(fresh).not.toBe(sub);
    await people.prove(twin, somebody().wallet);
    expect(await twin.status()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    expect(await people.signIn(begun, wallet)).toBe(fresh);
    // The permission is used: the code is like none.
    const after = await people.browser(bound).begin({ login_hint: code });
    expect(await people.prove(after, wallet)).toEqual(['nullifier_replayed']);
  });
});
