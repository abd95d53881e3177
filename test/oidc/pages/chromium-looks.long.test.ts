import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { openChromium } from '../../support/browser/browser.ts';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import { openSignIn, redeemCode } from '../../support/signin/driver.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { openSignInBrowser } from '../../support/signin/sign-in-page-driver.ts';
import { approve, decline, openRequest } from '../../support/test-wallet.ts';

/** One blue pixel. */
const LOGO = {
  contentType: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
} as const;
const LONG_NAME = 'Großhandelsgesellschaft für Schifffahrtsbedarf & Söhne, Hamburg';

describeInChromium('the sign-in page in every state', () => {
  let passedMs = 0;
  // the browser stays on the page after 204
  const stay = (route: Route): Promise<void> => route.fulfill({ status: 204 });
  const service = opened(() => startSigninService({ now: () => Date.now() + passedMs }), 'end');
  const browser = opened(openChromium, 'close');
  // the console reports the refusals that a test provokes as errors
  const person = opened(
    () => openSignInBrowser(browser, service, (fault) => /status of (400|403|503)/.test(fault)),
    'close',
  );

  it('shows a code, a link and the remaining time while it waits', async () => {
    const tab = await person.open({ scope: 'openid email profile' });
    const code = tab.page.getByRole('img', { name: 'QR code that opens this sign-in in a wallet' });
    const { width, height } = (await code.locator('svg').boundingBox()) ?? {};
    expect([width, height]).toEqual([280, 280]);
    await expectAccessibleLayout(tab.page, 'sign-in-waiting');
    await tab.page.locator('summary', { hasText: 'simulator' }).click();
    await expectAccessibleLayout(tab.page, 'sign-in-waiting-simulator');
    person.expectClean();
  });

  it('shows an app with a logo, a long name and a long address', async () => {
    const redirectUri = 'https://a-very-long-subdomain-of.some-organisation-abroad.example/cb';
    const client = await service.addClient({ name: LONG_NAME, redirectUris: [redirectUri], logo: LOGO });
    const tab = await person.open({ client_id: client.clientId, redirect_uri: client.redirectUri });
    expect(await tab.page.evaluate("document.querySelector('img.logo').naturalWidth")).toBe(1);
    await expectAccessibleLayout(tab.page, 'sign-in-long-name');
    person.expectClean();
  });

  it('asks to confirm in the wallet', async () => {
    const tab = await person.open();
    await openRequest(await tab.connectUrl());
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    expect(await tab.page.getByRole('img').count()).toBe(0);
    await expectAccessibleLayout(tab.page, 'sign-in-connected');
    person.expectClean();
  });

  it('says that it checks the proof while the engine is busy', async () => {
    const tab = await person.open();
    await tab.page.route('**/status', (route) =>
      route.fulfill({ json: { status: 'verifying', expires_in: 200, code: null, detail: null } }),
    );
    await tab.page.getByText('Checking the proof…').waitFor();
    expect(await tab.page.getByRole('button').count()).toBe(0);
    await expectAccessibleLayout(tab.page, 'sign-in-verifying');
  });

  it('confirms the identity', async () => {
    const tab = await person.open();
    await tab.page.route('**/continue', stay);
    await approve(await tab.connectUrl());
    await tab.page.getByText('Identity confirmed. Taking you back to Demo Shop…').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-completed');
  });

  it('stays with a button where it opens an app on a phone', async () => {
    const redirectUri = 'com.example.shop:/cb';
    const client = await service.addClient({ applicationType: 'native', redirectUris: [redirectUri] });
    const tab = await person.open({ client_id: client.clientId, redirect_uri: redirectUri });
    await approve(await tab.connectUrl());
    await tab.page.getByText('Identity confirmed. Use the button to return to Demo Shop.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-opens-app');
    await tab.page.reload();
    await expectAccessibleLayout(tab.page, 'sign-in-opens-app-again');
  });

  it('says what failed, and offers another attempt', async () => {
    const tab = await person.open();
    await approve(await tab.connectUrl(), { isFalse: true });
    await tab.page.getByText('The proof is not valid for this sign-in.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-failed');
    for (let attempt = 2; attempt <= 5; attempt++) {
      await tab.press('Try again');
      await approve(await tab.connectUrl(), { isFalse: true });
      await tab.page.getByText('The proof is not valid for this sign-in.').waitFor();
    }
    await tab.page.reload();
    await tab.page.getByText('That was the last attempt.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-last-attempt');
    person.expectClean();
  });

  it('says that the time is over', async () => {
    const tab = await person.open();
    passedMs += 301_000;
    await tab.page.getByText('The time to answer is over.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-expired');
    person.expectClean();
  });

  it('says that the wallet declined', async () => {
    const tab = await person.open();
    await decline(await tab.connectUrl());
    await tab.page.getByRole('alert').getByText('You declined in your wallet.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-refused');
  });

  it('says that the service does not answer, and continues when it does', async () => {
    const isAborted = (fault: string): boolean => fault.includes('ERR_FAILED');
    const other = await openSignInBrowser(browser, service, isAborted);
    const tab = await other.open();
    const away = (route: Route): Promise<void> => route.abort();
    await tab.page.route('**/status', away);
    await tab.page
      .getByText('No answer from the sign-in service at the moment. This page keeps trying.')
      .waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-unreachable');
    await tab.page.unroute('**/status', away);
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    other.expectClean();
    await other.close();
  });

  it('says that the service is busy, and continues by itself after the time to wait', async () => {
    const other = await openSignInBrowser(browser, service, (fault) => fault.includes('status of 429'));
    const tab = await other.open();
    const busy = (route: Route): Promise<void> =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '3' }, body: '{}' });
    await tab.page.route('**/status', busy);
    await tab.page.getByText('The sign-in service is busy.').waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-busy');
    await tab.page.unroute('**/status', busy);
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    other.expectClean();
    await other.close();
  });

  it('cannot continue in a browser without its cookie', async () => {
    const tab = await person.open();
    await tab.page.context().clearCookies();
    await tab.page.getByRole('heading', { name: 'This sign-in cannot go on here' }).waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-lost');
  });

  it('cannot continue under another host than that of baseUrl', async () => {
    const other = await openSignInBrowser(browser, service, (fault) => fault.includes('status of 403'));
    const { page } = await other.open();
    await page.goto(page.url().replace('127.0.0.1', 'localhost'));
    await page.getByText('but sign-in works at').waitFor();
    await expectAccessibleLayout(page, 'sign-in-other-host');
    expect(other.faults).toEqual([]);
    await other.close();
  });

  it('says that it is finished once the app has taken the answer', async () => {
    const tab = await person.open();
    const { page } = tab;
    await page.route('**/continue', stay);
    const txn = page.url().split('/').at(-1) ?? '';
    const signIn = await openSignIn(service.baseUrl, txn, await tab.cookie());
    await approve(signIn.connectUrl);
    await signIn.settle();
    const { code } = (await signIn.finish()).parameters;
    expect((await redeemCode(service.baseUrl, service.web, code)).status).toBe(200);
    await page.getByRole('heading', { name: 'This sign-in is already finished' }).waitFor();
    await expectAccessibleLayout(page, 'sign-in-finished');
  });

  it('is an error page when the request is wrong', async () => {
    const tab = await person.open();
    await tab.page.goto(`${service.baseUrl}/authorize?client_id=app_unknown`);
    await tab.page.getByRole('heading', { name: 'Something is wrong with this request' }).waitFor();
    await expectAccessibleLayout(tab.page, 'sign-in-error');
    person.expectClean();
  });
});
