// Rules: spec/sign-in.md#people
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import type { Browser4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { AFTER_GUARD_MS, startPeople } from '../worldid4/support/people.ts';

const people = opened(startPeople, (started) => started.service.end());

/** A wallet whose guard refuses at once to prove a nullifier again. */
function strictWallet(person: string): Wallet4 {
  let now = 0;
  return new Wallet4({ person, now: () => (now += AFTER_GUARD_MS) });
}

/** Sends an authorization request by a form of another site: without cookies, and those of the answer are kept. */
async function postFromElsewhere(browser: Browser4, client: TestClient, state: string): Promise<string> {
  const form = {
    response_type: 'code',
    scope: 'openid',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    state,
  };
  const blank = people.browser(client);
  const { headers, status } = await blank.go(`${people.service.baseUrl}/authorize`, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example' },
    body: new URLSearchParams(form),
  });
  expect(status).toBe(303);
  for (const [name, value] of blank.jar) browser.jar.set(name, value);
  return headers.get('location') ?? '';
}

describe('a browser', () => {
  it.for([
    ['is recognised', 'a\0ü &=+\r\n'],
    ['keeps its cookie, whatever the size', 'x'.repeat(3000)],
  ])('%s after a form of another site', async ([, state = '']) => {
    const client = await people.client();
    const browser = people.browser(client);
    const wallet = strictWallet('ada');
    const sub = await people.signIn(browser, wallet);
    const location = await postFromElsewhere(browser, client, state);
    if (state.length < 3000) {
      expect(new URL(location).searchParams.get('state')).toBe(state);
      const begun = await browser.go(location);
      const page = await (await browser.go(begun.headers.get('location') ?? '')).text();
      expect(page).toContain('This browser was here before');
    }
    expect(await people.signIn(browser, wallet)).toBe(sub);
  });

  it.for([0, 1])('is recognised after either of two sign-ins that began at once', async (index) => {
    const browser = people.browser(await people.client());
    const wallet = strictWallet('bea');
    const [one, two] = await Promise.all([browser.begin(), browser.begin()]);
    const signIn = index === 0 ? one : two;
    await people.prove(signIn, wallet);
    const { sub } = await signIn.claims();
    expect(await people.signIn(browser, wallet)).toBe(sub);
  });

  it('recognises whoever signs in after it has forgotten the others', async () => {
    const browser = people.browser(await people.client());
    const sub = await people.signIn(browser, strictWallet('cleo'));
    const wallet = strictWallet('dora');
    const signIn = await browser.begin();
    await signIn.post('forget');
    await people.prove(signIn, wallet);
    const other = (await signIn.claims()).sub;
    expect(other).not.toBe(sub);
    expect(await people.signIn(browser, wallet)).toBe(other);
  });
});
