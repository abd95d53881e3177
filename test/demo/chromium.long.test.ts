import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium, openChromium } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { opened } from '../support/opened.ts';
import { startSigninService } from '../support/signin/service.ts';
import { approve } from '../support/test-wallet.ts';
import { openDemoBrowser } from './support/demo-driver.ts';

const ANSWER = ['state is right', 'iss is right'];
const ID_TOKEN = ['signature', 'iss', 'aud', 'exp', 'nonce'].map((name) => `${name} is right`);
const ACCESS_TOKEN = ['signature', 'typ', 'iss', 'aud', 'client_id', 'exp'].map((name) => `${name} is right`);
const WITH_TOKEN = [...ID_TOKEN, 'at_hash is right'];
const WITH_CODE = [...ID_TOKEN, 'c_hash is right'];
const WITH_BOTH = [...WITH_TOKEN, 'c_hash is right'];
const EXCHANGE = [...WITH_TOKEN, ...ACCESS_TOKEN];
const USER = ['sub is right'];

describeInChromium('the demo, with a wallet in the test', () => {
  // The demo client is that of its address.
  const service = opened(startSigninService, 'end');
  const browser = opened(openChromium, 'close');
  const person = opened(() => openDemoBrowser(browser, service.baseUrl), 'close');

  it('names the command that builds the circuit, until it is built', async () => {
    const { page } = await person.open();
    await page.getByText('npx proofgate circuits setup').waitFor();
    await expectAccessibleLayout(page, 'demo-no-circuit');
    await fakeCircuit(service.app.dataDir);
    // without a reload of the page
    await page.locator('#circuit-note').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.getByText('npx proofgate circuits setup').count()).toBe(0);
    await page.getByRole('link', { name: 'Open the development wallet' }).click();
    await page.getByRole('heading', { name: 'Development wallet' }).waitFor();
    person.expectClean();
  });

  it.each([
    ['code', '', 'query', [...ANSWER, ...EXCHANGE, ...USER]],
    ['code', 'form_post', 'form_post', [...ANSWER, ...EXCHANGE, ...USER]],
    ['id_token', '', 'fragment', [...ANSWER, ...ID_TOKEN]],
    ['id_token token', '', 'fragment', [...ANSWER, ...WITH_TOKEN, ...ACCESS_TOKEN, ...USER]],
    ['code id_token', '', 'fragment', [...ANSWER, ...WITH_CODE, ...EXCHANGE, ...USER]],
    ['code token', '', 'fragment', [...ANSWER, ...ACCESS_TOKEN, ...EXCHANGE, ...USER]],
    [
      'code id_token token',
      'fragment',
      'fragment',
      [...ANSWER, ...WITH_BOTH, ...ACCESS_TOKEN, ...EXCHANGE, ...USER],
    ],
  ])(
    'signs in by %s (mode "%s") and runs every check',
    async (responseType, responseMode, place, expected) => {
      const tab = await person.open();
      await tab.signIn({ responseType, responseMode });
      await approve(await tab.connectUrl());
      expect(await tab.verdict()).toEqual({
        heading: 'Signed in',
        words: 'Every check holds. This app knows that a person signed in, and will know you again.',
      });
      await tab.page.getByText(`(${place})`).waitFor();
      expect(await tab.checks()).toEqual({ right: expected, wrong: [] });
      // neither code nor token stays in the history of the browser
      expect(tab.page.url()).toBe(`${service.baseUrl}/demo/callback`);
      person.expectClean();
    },
  );

  it('reports that a proof of the device tree is not enough if it required the orb', async () => {
    const tab = await person.open();
    await tab.signIn({ acrValues: 'orb' });
    await approve(await tab.connectUrl(), { tree: 'device' });
    await tab.page.getByText('This app asks for a verification at an Orb').waitFor();
    await tab.page.getByRole('link', { name: 'Back to ' }).click();
    const { heading, words } = await tab.verdict();
    expect(heading).toBe('Not signed in');
    expect(words).toContain('This app takes proofs of the orb tree alone');
    await tab.page.getByText('unmet_authentication_requirements').waitFor();
  });

  it('does not use an answer twice, nor one to a request of another tab', async () => {
    const tab = await person.open();
    await tab.signIn({ responseType: 'id_token' });
    await approve(await tab.connectUrl());
    expect((await tab.verdict()).heading).toBe('Signed in');
    await tab.page.reload();
    expect(await tab.verdict()).toEqual({
      heading: 'No sign-in to show',
      words: 'There is no answer here: it was read already, or the page was opened by hand.',
    });
    await expectAccessibleLayout(tab.page, 'demo-no-answer');
    await tab.page.goto(`${service.baseUrl}/demo/callback?code=c&state=foreign&iss=x`);
    const { heading, words } = await tab.verdict();
    expect(heading).toBe('Not signed in');
    expect(words).toContain('This tab began no sign-in with this state');
    await expectAccessibleLayout(tab.page, 'demo-foreign-answer');
    expect(await tab.page.getByText('Exchange of the code').count()).toBe(0);
    person.expectClean();
  });

  it('does not use an answer with another issuer', async () => {
    const tab = await person.open();
    await tab.signIn();
    const state = (await tab.page.evaluate('Object.keys(sessionStorage)[0]')) as string;
    const query = new URLSearchParams({
      code: 'c',
      state: state.replace('proofgate.demo.', ''),
      iss: 'https://evil.example',
    });
    await tab.page.goto(`${service.baseUrl}/demo/callback?${query}`);
    expect(await tab.verdict()).toEqual({
      heading: 'Not signed in',
      words: 'The answer is not from this service. An app must not use it.',
    });
    expect(await tab.checks()).toEqual({ right: ['state is right'], wrong: ['iss is wrong'] });
    await expectAccessibleLayout(tab.page, 'demo-other-issuer');
    person.expectClean();
  });

  it('shows no sign-in whose tokens do not belong to it', async () => {
    const tab = await person.open();
    await tab.signIn({ responseType: 'id_token' });
    // the stored nonce differs from the one that was sent
    await tab.page.evaluate(`{
      const [key] = Object.keys(sessionStorage);
      sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), nonce: 'other' }));
    }`);
    await approve(await tab.connectUrl());
    const { heading, words } = await tab.verdict();
    expect(heading).toBe('Not signed in');
    expect(words).toContain('A check does not hold.');
    expect((await tab.checks()).wrong).toEqual(['nonce is wrong']);
    await expectAccessibleLayout(tab.page, 'demo-wrong-check');
  });

  it('reports that the service does not answer, during a sign-in and afterwards', async () => {
    const tab = await person.open();
    const { page } = tab;
    const away = (route: Route): Promise<void> => route.abort();
    await page.route('**/token', away);
    await tab.signIn();
    await approve(await tab.connectUrl());
    expect(await tab.verdict()).toEqual({
      heading: 'Not signed in',
      words: 'The service does not answer. Is it still running?',
    });
    await page.unroute('**/token', away);
    await page.getByRole('link', { name: 'Back to the start' }).click();
    await tab.signIn();
    await approve(await tab.connectUrl());
    expect((await tab.verdict()).heading).toBe('Signed in');
    await page.route('**/revoke', away);
    await page.getByRole('button', { name: 'Revoke the access token' }).click();
    await page.getByText('The service does not answer.').waitFor();
    await expectAccessibleLayout(page, 'demo-service-away');
  });

  it('reports a host other than that of baseUrl, and links to the right one', async () => {
    const { page } = await person.open();
    await page.goto(`${service.baseUrl.replace('127.0.0.1', 'localhost')}/demo`);
    await page.getByText('but the service is set up to answer at').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await expectAccessibleLayout(page, 'demo-other-host');
    await page.getByRole('link', { name: 'Open the demo there' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });
});
