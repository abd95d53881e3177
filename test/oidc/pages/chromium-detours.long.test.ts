import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import { openSignInBrowser, type SignInTab } from '../../support/signin/sign-in-page-driver.ts';
import { approve, decline, openRequest } from '../../support/test-wallet.ts';
import { startBrowserSignIn } from '../support/browser-sign-in.ts';

describeInChromium('a person signs in the long way', () => {
  const scene = opened(startBrowserSignIn, 'end');

  it('with a new code, when the wallet lost the request', async () => {
    const tab = await scene.open();
    await openRequest(await tab.connectUrl());
    await tab.page.getByRole('button', { name: 'Show a new code' }).click();
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    await scene.expectGoodCode(await tab.arrived());
  });

  it('after the time ran out, with another attempt', async () => {
    const tab = await scene.open();
    scene.pass(301_000);
    await tab.page.getByText('The time to answer is over.').waitFor();
    expect(await tab.page.locator('#time-left').isVisible()).toBe(false);
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    await scene.expectGoodCode(await tab.arrived());
  });

  it('cancels after a bad proof, and the app receives the reason', async () => {
    const tab = await scene.open();
    await approve(await tab.connectUrl(), { isFalse: true });
    await tab.page.getByRole('button', { name: 'Try again' }).waitFor();
    await tab.press('Cancel');
    expect(await tab.arrived()).toMatchObject({
      error: 'access_denied',
      error_description: 'The proof is not valid for this sign-in. Please try again.',
    });
  });

  it('declines in the wallet, can read the message without a time limit, and returns to the app', async () => {
    const tab = await scene.open({ response_type: 'id_token', nonce: 'n' });
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
  });

  it.each([
    ['first tab first', 0],
    ['second tab first', 1],
  ])('in two tabs at the same time, for two apps, %s', async (_, first) => {
    const other = await scene.service.addClient({
      name: 'Other Shop',
      redirectUris: [`${scene.app.origin}/other`],
    });
    const tabs: [SignInTab, SignInTab] = [
      await scene.open({ state: 'one' }),
      await scene.person.open({ client_id: other.clientId, redirect_uri: other.redirectUri, state: 'two' }),
    ];
    const order = first === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const tab = tabs[index] ?? tabs[0];
      await approve(await tab.connectUrl());
      const answer = await tab.arrived();
      expect(answer.state).toBe(index === 0 ? 'one' : 'two');
      await scene.expectGoodCode(answer, index === 0 ? scene.client : other);
      await tab.page.close();
    }
  });

  it('in one tab, while another tab of the same sign-in follows', async () => {
    const tab = await scene.open();
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
  });

  it('sees an attempt that was begun in another tab', async () => {
    const tab = await scene.open();
    const first = await tab.connectUrl();
    scene.pass(60_000);
    await tab.page.locator('#time-left', { hasText: /^(3:|4:0)/ }).waitFor();
    await fetch(`${tab.page.url()}/retry`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: await tab.cookie() },
    });
    await expect.poll(() => tab.connectUrl(), { timeout: 180_000 }).not.toBe(first);
    await approve(await tab.connectUrl());
    await scene.expectGoodCode(await tab.arrived());
  });

  it('without a policy violation, an error or a request to a third party', () => {
    scene.person.expectClean(scene.app.origin);
  });

  it('copies the link for a simulator', async () => {
    const other = await openSignInBrowser(scene.browser, scene.service);
    const tab = await scene.open({}, other);
    const { page } = tab;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Link for a wallet simulator').click();
    // All pages of the browser have one clipboard, and another test may copy at the same moment.
    const copy = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Copy the address' }).click();
      await page.getByText('Copied.').waitFor();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    const members = (await tab.connectUrl()).split('#')[1] ?? '';
    expect(members).toMatch(/^t=wld&i=/);
    await expect.poll(copy).toBe(`https://staging.world.org/verify?${members}`);
    other.expectClean();
    await other.close();
  });

  it('is told how to copy the link if the browser does not allow it', async () => {
    const other = await openSignInBrowser(scene.browser, scene.service);
    const { page } = await scene.open({}, other);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))");
    await page.getByText('Link for a wallet simulator').click();
    await page.getByRole('button', { name: 'Copy the address' }).click();
    await page.getByText('The address is selected: copy it yourself.').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('https://staging.world.org/');
    await other.close();
  });

  it('keeps the focus in the simulator link while the page polls', async () => {
    const other = await openSignInBrowser(scene.browser, scene.service);
    const { page } = await scene.open({}, other);
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
    const other = await openSignInBrowser(scene.browser, scene.service, () => false, phone);
    const { page } = await scene.open({}, other);
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
    const other = await openSignInBrowser(scene.browser, scene.service);
    const tab = await scene.open({}, other);
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
    await scene.expectGoodCode(await tab.arrived());
    other.expectClean(scene.app.origin);
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
