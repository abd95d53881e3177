// Rules: spec/sign-in.md#recognition-page
import { describe, expect, it } from 'vitest';
import { pointerHashOf } from '../../../src/oidc/transaction/plan-sign-in.ts';
import { opened } from '../../support/opened.ts';
import type { Browser4, SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { startKnownService } from './support/known-service.ts';

const service = opened(startKnownService, 'end');

/** Signs a person in to a client, up to its end. */
async function signIn(browser: Browser4, wallet: Wallet4, client?: TestClient): Promise<SignIn4> {
  const begun = await browser.begin({}, client);
  await service.prove(begun, wallet);
  return begun;
}

async function knownPage(browser: Browser4, { path }: SignIn4): Promise<string> {
  const response = await browser.go(`${path}/known`);
  expect(response.status).toBe(200);
  return await response.text();
}

/** Names of the forms that delete something, in the order of the page. */
function idsOf(html: string): string[] {
  return [...html.matchAll(/name="id" value="([^"]*)"/g)].map(([, id = '']) => id);
}

/** The parts of the page, by their headings. */
function partsOf(html: string): string[] {
  return html.split('<section').slice(1);
}

const cookieOf = (browser: Browser4, { clientId }: TestClient): string | undefined =>
  browser.jar.get(`__Host-pg_known_${clientId}`);
const locationOf = async (browser: Browser4, { path }: SignIn4): Promise<string | null> =>
  (await browser.go(path)).headers.get('location');

describe('the choice to see what recognises a person', () => {
  it('leads a completed sign-in to the recognition page, from which it goes on', async () => {
    const client = await service.addClient({ name: 'Shop <1>' });
    const browser = service.browser(client);
    const begun = await browser.begin();
    expect(await begun.page()).toContain('Show me how Shop &lt;1&gt; recognises me before I go back');
    await begun.post('agree', { known: 'on' });
    await service.prove(begun, new Wallet4({ person: 'ada' }));
    expect(await locationOf(browser, begun)).toBe(`${new URL(begun.path).pathname}/known`);
    const html = await knownPage(browser, begun);
    expect(html).toContain('<h1>How Shop &lt;1&gt; recognises you</h1>');
    const [sessions = '', browsers = '', passkeys = ''] = partsOf(html);
    expect(sessions).toContain('Session, tied to you by one proof');
    expect(browsers).toContain('This browser');
    expect(passkeys).toContain('There is none.');
    expect((await begun.claims()).sub).toMatch(/^0x/);
  });

  it('is not made by itself: the sign-in then goes on at once', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const begun = await signIn(browser, new Wallet4({ person: 'bea' }));
    expect(await locationOf(browser, begun)).toBe(`${new URL(begun.path).pathname}/continue`);
  });

  it('has no effect on a proof of World ID 3.0', async () => {
    const browser = service.browser(await service.addClient());
    const begun = await browser.begin();
    await begun.post('agree', { known: 'on' });
    await service.prove(begun, new Wallet4({ person: 'cleo', has: ['3.0'] }));
    expect(await locationOf(browser, begun)).toBe(`${new URL(begun.path).pathname}/continue`);
    expect((await browser.go(`${begun.path}/known`)).status).toBe(303);
  });

  it('shows no session before the proof', async () => {
    const browser = service.browser(await service.addClient());
    const begun = await browser.begin();
    expect((await browser.go(`${begun.path}/known`)).headers.get('location')).toBe(
      new URL(begun.path).pathname,
    );
  });
});

describe('the recognition page', () => {
  it('names nothing by which others could recognise the person', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const wallet = new Wallet4({ person: 'dora' });
    const begun = await signIn(browser, wallet);
    const html = await knownPage(browser, begun);
    const { sub = '' } = await begun.claims();
    const known = await service.store.people.of(client.clientId, bytesOf(sub), 0);
    const secrets = [
      sub.slice(2),
      ...known.sessions.map(({ sessionId }) => Buffer.from(sessionId).toString('hex')),
      ...known.pointers.map(({ pointerHash }) => Buffer.from(pointerHash).toString('hex')),
    ];
    expect(secrets).toHaveLength(3);
    for (const secret of secrets) expect(html).not.toContain(secret);
  });

  it('forgets this browser: its cookie goes, the sign-in still ends, and the next one asks a stranger', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const wallet = new Wallet4({ person: 'emma' });
    const begun = await signIn(browser, wallet);
    const cookie = cookieOf(browser, client);
    expect(cookie).toBeDefined();
    const [, ofBrowser = ''] = idsOf(await knownPage(browser, begun));
    expect((await begun.post('known/forget', { id: ofBrowser })).status).toBe(303);
    expect(cookieOf(browser, client)).toBeUndefined();
    const [sessions = '', browsers = ''] = partsOf(await knownPage(browser, begun));
    expect(sessions).toContain('tied to you');
    expect(browsers).toContain('There is none.');
    // not even to a browser that sends it again
    browser.jar.set(`__Host-pg_known_${client.clientId}`, cookie ?? '');
    const end = await browser.go(`${begun.path}/continue`);
    expect(end.headers.get('location')).toContain('code=');
    expect(end.headers.getSetCookie().join()).not.toContain('pg_known');
    expect(await (await browser.begin()).page()).not.toContain('was here before');
  });

  it('forgets a session with the browsers and passkeys that lead to it', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const begun = await signIn(browser, new Wallet4({ person: 'fay' }));
    await service.savePasskey(begun, browser);
    const [session = ''] = idsOf(await knownPage(browser, begun));
    await begun.post('known/forget', { id: session });
    const html = await knownPage(browser, begun);
    expect(idsOf(html)).toEqual([]);
    expect(html).not.toContain('data-passkey');
    expect(cookieOf(browser, client)).toBeUndefined();
  });

  it('forgets a passkey, and nothing else', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const begun = await signIn(browser, new Wallet4({ person: 'gil' }));
    await service.savePasskey(begun, browser);
    const [session, own, passkey = ''] = idsOf(await knownPage(browser, begun));
    await begun.post('known/forget', { id: passkey });
    expect(idsOf(await knownPage(browser, begun))).toEqual([session, own, 'all']);
    expect(cookieOf(browser, client)).toBeDefined();
  });

  it('forgets all of it, on other browsers too', async () => {
    const client = await service.addClient();
    const [browser, other] = [service.browser(client), service.browser(client)];
    const wallet = new Wallet4({ person: 'hal' });
    await (await signIn(other, wallet)).finish();
    const begun = await signIn(browser, wallet);
    expect(partsOf(await knownPage(browser, begun))[1]).toContain('Another browser');
    await begun.post('known/forget', { id: 'all' });
    expect(idsOf(await knownPage(browser, begun))).toEqual([]);
    expect(cookieOf(browser, client)).toBeUndefined();
    expect((await begun.claims()).sub).toMatch(/^0x/);
    expect(await (await other.begin()).page()).not.toContain('was here before');
  });

  it('leaves the cookie to other people of the browser, whom it still finds', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const ida = new Wallet4({ person: 'ida' });
    await (await signIn(browser, ida)).finish();
    const begun = await browser.begin();
    await begun.post('other', { way: 'other' });
    await service.prove(begun, new Wallet4({ person: 'joe' }));
    await begun.post('known/forget', { id: 'all' });
    await begun.finish();
    expect(cookieOf(browser, client)).toBeDefined();
    const again = await browser.begin();
    expect(await again.page()).toContain('was here before');
    expect(await service.prove(again, ida)).toBe('4.0');
  });

  it('forgets nothing by the name of another sign-in, of another person, or of nothing', async () => {
    const client = await service.addClient();
    const [browser, other] = [service.browser(client), service.browser(client)];
    const wallet = new Wallet4({ person: 'kai' });
    const begun = await signIn(browser, wallet);
    const ofOther = idsOf(await knownPage(other, await signIn(other, new Wallet4({ person: 'lea' }))));
    const ids = idsOf(await knownPage(browser, begun));
    const later = await signIn(browser, wallet);
    for (const id of [...ids.slice(0, -1), ...ofOther.slice(0, -1), '', 'x'.repeat(43)]) {
      await later.post('known/forget', { id });
    }
    expect(idsOf(await knownPage(browser, begun))).toEqual(ids);
  });

  it('takes no form of another origin, of another browser, or after the end', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const begun = await signIn(browser, new Wallet4({ person: 'mia' }));
    const init = { method: 'POST', body: new URLSearchParams({ id: 'all' }) };
    const url = `${begun.path}/known/forget`;
    const evil = await browser.go(url, { ...init, headers: { Origin: 'https://evil.example' } });
    expect(evil.status).toBe(403);
    expect((await service.browser(client).go(url, init)).status).toBe(403);
    expect((await service.browser(client).go(`${begun.path}/known`)).status).toBe(403);
    expect(idsOf(await knownPage(browser, begun))).toHaveLength(3);
    await begun.finish();
    for (const late of [await browser.go(url, init), await browser.go(`${begun.path}/known`)]) {
      expect([late.status, late.headers.get('location')?.endsWith('/continue')]).toEqual([303, true]);
    }
    expect(await (await browser.begin()).page()).toContain('was here before');
  });
});

describe('forgetting who was here on a browser', () => {
  it('needs no proof, removes the cookie, and asks a stranger', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const wallet = new Wallet4({ person: 'nia' });
    const first = await signIn(browser, wallet);
    const { sub } = await first.claims();
    const begun = await browser.begin();
    expect(await begun.page()).toContain('Forget who was here on this browser');
    await begun.post('forget');
    expect(cookieOf(browser, client)).toBeUndefined();
    const html = await begun.page();
    expect(html).not.toContain('was here before');
    expect(html).not.toContain('Forget who was here on this browser');
    // within ten minutes the wallet proves the same
    expect(await service.prove(begun, wallet)).toBe('4.0');
    expect(cookieOf(browser, client)).toBeUndefined();
    expect((await begun.claims()).sub).toBe(sub);
    // who signs in then is recognised, by another cookie, since the wallet does not prove the same again
    const cookie = cookieOf(browser, client) ?? '';
    const { pointers, sessions } = await service.store.people.of(client.clientId, bytesOf(sub ?? ''), 0);
    expect(pointers.map(({ pointerHash }) => pointerHash)).toEqual([pointerHashOf(cookie)]);
    expect(sessions).toHaveLength(2);
  });

  it('leaves a cookie that the browser got later when the response is sent again', async () => {
    const client = await service.addClient();
    const browser = service.browser(client);
    const wallet = new Wallet4({ person: 'pia' });
    await (await signIn(browser, wallet)).finish();
    const begun = await browser.begin();
    await begun.post('forget');
    await service.prove(begun, wallet);
    const goOn = async (): Promise<string | undefined> => {
      await browser.go(`${begun.path}/continue`);
      return cookieOf(browser, client);
    };
    const cookie = await goOn();
    expect(cookie).toBeDefined();
    browser.jar.delete(`__Host-pg_known_${client.clientId}`);
    expect(await goOn(), 'lost on the way').toBe(cookie);
    browser.jar.delete(`__Host-pg_known_${client.clientId}`);
    await signIn(browser, new Wallet4({ person: 'rui' }));
    const later = cookieOf(browser, client);
    expect(later).not.toBe(cookie);
    expect(await goOn()).toBe(later);
  });

  it('is not offered to strangers, and takes no form of another origin', async () => {
    const browser = service.browser(await service.addClient());
    await (await signIn(browser, new Wallet4({ person: 'oto' }))).finish();
    const begun = await browser.begin();
    const evil = await browser.go(`${begun.path}/forget`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example' },
    });
    expect(evil.status).toBe(403);
    expect(await begun.page()).toContain('was here before');
    const stranger = await service.browser(await service.addClient()).begin();
    expect(await stranger.page()).not.toContain('Forget who was here');
  });
});

function bytesOf(sub: string): Uint8Array {
  return Uint8Array.from(Buffer.from(sub.slice(2), 'hex'));
}
