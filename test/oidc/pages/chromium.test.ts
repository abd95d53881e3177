import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppPage, startAppPage } from '../../support/browser/app-page.ts';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  launchChromium,
} from '../../support/browser/browser.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import {
  openSignInBrowser,
  type SignInBrowser,
  type SignInTab,
} from '../../support/signin/sign-in-page-driver.ts';
import { approve, decline, openRequest, proveRequest } from '../../support/test-wallet.ts';

describe.skipIf(!isChromiumPresent)(`a person signs in${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let service: SigninService;
  let app: AppPage;
  let client: TestClient;
  let browser: Browser;
  let person: SignInBrowser;
  let passedMs = 0;
  const open = (browserProfile: SignInBrowser, parameters: Readonly<Record<string, string>> = {}) =>
    browserProfile.open({ client_id: client.clientId, redirect_uri: client.redirectUri, ...parameters });

  beforeAll(async () => {
    service = await startSigninService({ now: () => Date.now() + passedMs });
    app = await startAppPage();
    client = await service.addClient({ redirectUris: [app.callback] });
    browser = await launchChromium();
    person = await openSignInBrowser(browser, service);
  });
  afterAll(async () => {
    await person?.close();
    await browser?.close();
    await app?.end();
    await service?.end();
  });

  /** Expects that the code of a response can be exchanged for tokens. */
  async function expectGoodCode(answer: Readonly<Record<string, string>>, by = client): Promise<void> {
    const response = await fetch(`${service.baseUrl}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer.code ?? '',
        redirect_uri: by.redirectUri,
        client_id: by.clientId,
        client_secret: by.clientSecret,
      }),
    });
    expect(response.status).toBe(200);
  }

  it('from the link to the wallet to the code at the app', async () => {
    const tab = await open(person, { state: 'st' });
    expect(await tab.status.textContent()).toBe('Waiting for your wallet.');
    const request = await openRequest(await tab.connectUrl());
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    expect(await tab.page.locator('#wallet-link').isVisible()).toBe(false);
    await request.answer(await proveRequest(request.plaintext));
    const answer = await tab.arrived();
    expect(answer).toMatchObject({ state: 'st', iss: service.baseUrl });
    await expectGoodCode(answer);
    // the page was replaced: the back button leads to where the person came from, not to a finished sign-in
    expect(await tab.page.evaluate('history.length')).toBe(2);
    await tab.page.close();
  });

  it('by form_post, in a form that submits itself', async () => {
    const tab = await open(person, {
      response_type: 'code id_token',
      response_mode: 'form_post',
      nonce: 'n',
    });
    await approve(await tab.connectUrl());
    expect(await tab.arrived()).toEqual({});
    const [form = {}] = app.posted;
    expect(Object.keys(form)).toEqual(['code', 'id_token', 'iss']);
    await expectGoodCode(form);
    await tab.page.close();
  });

  it('after a bad proof, with another attempt', async () => {
    const tab = await open(person);
    const first = await tab.connectUrl();
    await approve(first, { isFalse: true });
    await tab.page.getByText('The proof is not valid for this sign-in. Please try again.').waitFor();
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    const second = await tab.connectUrl();
    expect(second).not.toBe(first);
    await approve(second);
    await expectGoodCode(await tab.arrived());
    await tab.page.close();
  });

  it('with a new code, when the wallet lost the request', async () => {
    const tab = await open(person);
    await openRequest(await tab.connectUrl());
    await tab.page.getByRole('button', { name: 'Show a new code' }).click();
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    await expectGoodCode(await tab.arrived());
    await tab.page.close();
  });

  it('after the time ran out, with another attempt', async () => {
    const tab = await open(person);
    passedMs += 301_000;
    await tab.page.getByText('The time to answer is over.').waitFor();
    expect(await tab.page.locator('#time-left').isVisible()).toBe(false);
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    await expectGoodCode(await tab.arrived());
    await tab.page.close();
  });

  it('cancels, and the app is notified', async () => {
    const tab = await open(person, { state: 'st' });
    await tab.press('Cancel');
    expect(await tab.arrived()).toEqual({
      error: 'access_denied',
      error_description: 'The person left the sign-in page.',
      state: 'st',
      iss: service.baseUrl,
    });
    await tab.page.close();
  });

  it('cancels after a bad proof, and the app receives the reason', async () => {
    const tab = await open(person);
    await approve(await tab.connectUrl(), { isFalse: true });
    await tab.page.getByRole('button', { name: 'Try again' }).waitFor();
    await tab.press('Cancel');
    expect(await tab.arrived()).toMatchObject({
      error: 'access_denied',
      error_description: 'The proof is not valid for this sign-in. Please try again.',
    });
    await tab.page.close();
  });

  it('declines in the wallet, can read the message without a time limit, and returns to the app', async () => {
    const tab = await open(person, { response_type: 'id_token', nonce: 'n' });
    const { page } = tab;
    await page.clock.install();
    const connectUrl = await tab.connectUrl();
    await decline(connectUrl);
    await page.clock.runFor(4_000);
    await page.getByRole('alert').getByText('You declined in your wallet.').waitFor();
    expect(await tab.status.textContent()).toBe('');
    const address = page.url();
    await page.clock.runFor(600_000);
    expect(page.url()).toBe(address);
    await tab.goBack();
    expect(await tab.arrived()).toMatchObject({
      error: 'access_denied',
      error_description: 'The person declined in the wallet.',
    });
    await tab.page.close();
  });

  it.each([
    ['first tab first', 0],
    ['second tab first', 1],
  ])('in two tabs at the same time, for two apps, %s', async (_, first) => {
    const other = await service.addClient({ name: 'Other Shop', redirectUris: [`${app.origin}/other`] });
    const tabs: [SignInTab, SignInTab] = [
      await open(person, { state: 'one' }),
      await person.open({ client_id: other.clientId, redirect_uri: other.redirectUri, state: 'two' }),
    ];
    const order = first === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const tab = tabs[index] ?? tabs[0];
      await approve(await tab.connectUrl());
      const answer = await tab.arrived();
      expect(answer.state).toBe(index === 0 ? 'one' : 'two');
      await expectGoodCode(answer, index === 0 ? client : other);
      await tab.page.close();
    }
  });

  it('in one tab, while another tab of the same sign-in follows', async () => {
    const tab = await open(person);
    const twin = await tab.page.context().newPage();
    await twin.goto(tab.page.url());
    const stale = await tab.connectUrl();
    await approve(stale, { isFalse: true });
    for (const page of [tab.page, twin]) await page.getByRole('button', { name: 'Try again' }).waitFor();
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    expect(await tab.connectUrl()).not.toBe(stale);
    await tab.press('Cancel');
    expect((await tab.arrived()).error).toBe('access_denied');
    await twin.close();
    await tab.page.close();
  });

  it('sees an attempt that was begun in another tab', async () => {
    const tab = await open(person);
    const first = await tab.connectUrl();
    const [cookie] = await tab.page.context().cookies(tab.page.url());
    passedMs += 60_000;
    await tab.page.locator('#time-left', { hasText: /^(3:|4:0)/ }).waitFor();
    await fetch(`${tab.page.url()}/retry`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    });
    await expect.poll(() => tab.connectUrl(), { timeout: 20_000 }).not.toBe(first);
    await approve(await tab.connectUrl());
    await expectGoodCode(await tab.arrived());
    await tab.page.close();
  });

  it('without a policy violation, an error or a request to a third party', () => {
    person.expectClean(app.origin);
  });

  it('copies the link for a simulator', async () => {
    const other = await openSignInBrowser(browser, service);
    const tab = await open(other);
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Link for a wallet simulator').click();
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toMatch(/^https:\/\/staging\.world\.org\/verify\?t=wld&i=/);
    expect(copied.split('?')[1]).toBe((await tab.connectUrl()).split('#')[1]);
    other.expectClean();
    await other.close();
  });

  it('is told how to copy the link if the browser does not allow it', async () => {
    const other = await openSignInBrowser(browser, service);
    const { page } = await open(other);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))");
    await page.getByText('Link for a wallet simulator').click();
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByText('The address is selected: copy it yourself.').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('https://staging.world.org/');
    await other.close();
  });

  it('keeps the focus in the simulator link while the page polls', async () => {
    const other = await openSignInBrowser(browser, service);
    const { page } = await open(other);
    await page.getByText('Link for a wallet simulator').click();
    await page.locator('#simulator-link').focus();
    for (let poll = 0; poll < 2; poll++) await page.waitForResponse('**/status');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
    expect(await page.evaluate('document.activeElement.id')).toBe('simulator-link');
    other.expectClean();
    await other.close();
  });

  it('on a phone, where the link comes first and the code is collapsed', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const other = await openSignInBrowser(browser, service, () => false, phone);
    const { page } = await open(other);
    const code = page.getByRole('img', { name: 'QR code' });
    expect(await code.count()).toBe(0);
    const link = await page.getByRole('link', { name: 'Open your wallet' }).boundingBox();
    const unfold = page.getByText('Scan with another device');
    expect(link?.y).toBeLessThan((await unfold.boundingBox())?.y ?? 0);
    await unfold.tap();
    await code.waitFor();
    await expectAccessibleLayout(page, 'sign-in-phone');
    other.expectClean();
    await other.close();
  });

  it('with the keyboard alone, and sees where the focus is', async () => {
    const other = await openSignInBrowser(browser, service);
    const tab = await open(other);
    const { page } = tab;
    expect(await tabStops(page, 4)).toEqual([
      'Open your wallet',
      'Get Proofgate Demo Wallet',
      'Cancel',
      'Link for a wallet simulator',
    ]);
    await page.locator('#wallet-link').focus();
    await approve(await tab.connectUrl(), { isFalse: true });
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    // the focused link is gone, and the focus is on the alert, which comes before the buttons
    expect(await page.evaluate('document.activeElement.id')).toBe('alert');
    expect(await tabStops(page, 2)).toEqual(['Try again', 'Cancel']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    await expectGoodCode(await tab.arrived());
    other.expectClean(app.origin);
    await other.close();
  });
});

/** Presses Tab `count` times; returns the text of each focused element and expects a focus ring around it. */
async function tabStops(page: Page, count: number): Promise<string[]> {
  const stops: string[] = [];
  for (let press = 0; press < count; press++) {
    await page.keyboard.press('Tab');
    const [text, ring] = (await page.evaluate(
      '[document.activeElement.textContent.trim(), getComputedStyle(document.activeElement).outlineStyle]',
    )) as [string, string];
    expect(ring, `focus ring of ${text}`).not.toBe('none');
    stops.push(text);
  }
  return stops;
}

describe.skipIf(!isChromiumPresent)(`a person without JavaScript${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let service: SigninService;
  let app: AppPage;
  let client: TestClient;
  let browser: Browser;
  let person: SignInBrowser;
  beforeAll(async () => {
    service = await startSigninService();
    app = await startAppPage();
    client = await service.addClient({ redirectUris: [app.callback] });
    browser = await launchChromium();
    person = await openSignInBrowser(browser, service, () => false, { javaScriptEnabled: false });
  });
  afterAll(async () => {
    await person?.close();
    await browser?.close();
    await app?.end();
    await service?.end();
  });
  const open = (parameters: Readonly<Record<string, string>> = {}): Promise<SignInTab> =>
    person.open({ client_id: client.clientId, redirect_uri: client.redirectUri, ...parameters });

  it('sees each state, tries again, and returns to the app', async () => {
    const tab = await open({ state: 'st' });
    expect(await tab.page.getByRole('button', { name: 'Copy the address' }).count()).toBe(0);
    const request = await openRequest(await tab.connectUrl());
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    await request.answer(await proveRequest(request.plaintext, { isFalse: true }));
    await tab.page.getByText('The proof is not valid for this sign-in.').waitFor();
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    expect(await tab.arrived()).toMatchObject({ code: expect.any(String), state: 'st' });
    await tab.page.close();
  });

  it('declines in the wallet, or cancels', async () => {
    const declined = await open();
    await decline(await declined.connectUrl());
    await declined.page.getByRole('alert').getByText('You declined in your wallet.').waitFor();
    await declined.goBack();
    expect((await declined.arrived()).error_description).toBe('The person declined in the wallet.');
    const left = await open();
    await left.press('Cancel');
    expect((await left.arrived()).error_description).toBe('The person left the sign-in page.');
    person.expectClean(app.origin);
  });

  it('returns to the app by form_post with a button', async () => {
    const tab = await open({ response_mode: 'form_post' });
    await approve(await tab.connectUrl());
    await tab.page.getByRole('button', { name: 'Continue' }).click();
    await tab.arrived();
    expect(app.posted[0]).toHaveProperty('code');
  });
});
