// Rules: spec/sign-in.md#guarded-controls and spec/sign-in.md#page-headers
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/browser.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import { openSignInBrowser } from '../../support/signin/sign-in-page-driver.ts';
import { approve } from '../../support/test-wallet.ts';
import { startBrowserSignIn } from '../support/browser-sign-in.ts';

const SETTLED_MS = 900;
const STAY = /^Stay signed in to /;
const OFFLINE = /^Let Demo Shop stay connected/;

/** Ways in which a page comes to the front. */
const COMES_BACK: readonly [name: string, event: string, target: 'window' | 'document'][] = [
  ['its window gets the focus', 'focus', 'window'],
  ['it becomes visible', 'visibilitychange', 'document'],
  ['the browser shows it from its memory', 'pageshow', 'window'],
];

/** Stops the time of all pages of a person, which then passes only by `page.clock.runFor`. */
async function stopClock(page: Page): Promise<void> {
  const start = Date.now();
  await page.clock.install({ time: start });
  // By less than the page takes for a new attempt of another tab.
  await page.clock.pauseAt(start + 4000);
}

/** Waits until a control works. */
async function isSettled(control: Locator): Promise<void> {
  await expect.poll(() => control.getAttribute('aria-disabled')).toBeNull();
}

/** Clicks where a control is without asking whether it is ready. */
async function clickAt(page: Page, control: Locator): Promise<void> {
  const box = await control.boundingBox();
  if (box === null) throw new Error('expected a control that is visible');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

describeInChromium('a control that another page may aim at', () => {
  const scene = opened(() => startBrowserSignIn({}, { 'signin.sessionSeconds': '3600' }), 'end');
  beforeAll(async () => {
    const { store } = scene.service;
    const app = await store.apps.findByAppId(scene.client.clientId);
    if (app === undefined) throw new Error('the client is gone');
    await store.apps.update(app.appId, { client: { ...app.client, refreshTokens: true } }, Date.now());
  });

  /** Presses at once, whatever the control says of itself. */
  const press = (control: Locator): Promise<void> =>
    control.evaluate((node) => (node as HTMLElement).click());
  const bring = (page: Page, [, event, target]: (typeof COMES_BACK)[number]): Promise<void> =>
    page.evaluate(
      ([name, where]) => void (where === 'window' ? window : document).dispatchEvent(new Event(name)),
      [event, target] as const,
    );

  it.each(COMES_BACK)(
    'ignores what comes within 900 ms of the page coming to the front: %s',
    async (...way) => {
      const person = await openSignInBrowser(scene.browser, scene.service);
      const { page } = await scene.open({ scope: 'openid offline_access' }, person);
      const stored: string[] = [];
      page.setDefaultTimeout(10_000);
      page.on('request', (request) => void (request.method() === 'POST' && stored.push(request.url())));
      // The page was loaded with the clock of the browser, whose timer the stopped clock could not end.
      await isSettled(page.getByRole('checkbox', { name: OFFLINE }));
      await stopClock(page);
      for (const name of [STAY, OFFLINE]) {
        const box = page.getByRole('checkbox', { name });
        await bring(page, way);
        expect(await box.getAttribute('aria-disabled')).toBe('true');
        await press(box);
        await clickAt(page, box);
        await page.clock.runFor(SETTLED_MS - 1);
        await box.press('Space');
        expect(await box.isChecked()).toBe(false);
        await page.clock.runFor(1);
        expect(await box.getAttribute('aria-disabled')).toBeNull();
        expect(stored).toEqual([]);
        await box.press('Space');
        expect(await box.isChecked()).toBe(true);
        await expect.poll(() => stored.length).toBe(1);
        stored.length = 0;
      }
    },
  );

  it('signs out only when the page has been in front, by pointer or key', async () => {
    const person = await openSignInBrowser(scene.browser, scene.service);
    const tab = await scene.open({}, person);
    const { page } = tab;
    page.setDefaultTimeout(10_000);
    await page.getByRole('checkbox', { name: STAY }).check();
    await approve(await tab.connectUrl());
    await tab.arrived();
    await stopClock(page);
    for (const way of COMES_BACK) {
      await page.goto(`${scene.service.baseUrl}/logout`);
      const button = page.getByRole('button', { name: 'Sign out' });
      await button.waitFor();
      await bring(page, way);
      await page.clock.runFor(SETTLED_MS - 1);
      await press(button);
      await clickAt(page, button);
      await button.press('Enter');
      expect(page.url()).toBe(`${scene.service.baseUrl}/logout`);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign out?');
    }
    await expectAccessibleLayout(page, 'logout-guarded');
    await page.clock.runFor(SETTLED_MS);
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  });

  it('is pressed in two places without JavaScript', async () => {
    const context = await scene.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const { clientId: client_id, redirectUri: redirect_uri } = scene.client;
    const request = { response_type: 'code', scope: 'openid', client_id, redirect_uri };
    await page.goto(`${scene.service.baseUrl}/authorize?${new URLSearchParams(request)}`);
    const button = page.getByRole('button', { name: STAY });
    expect(await button.isVisible()).toBe(false);
    const summary = page.locator('summary', { hasText: STAY });
    await summary.click();
    const [above, below] = [await summary.boundingBox(), await button.boundingBox()];
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThan(8);
    await button.click();
    await page.getByRole('button', { name: 'Do not stay signed in' }).waitFor();
    await context.close();
  });

  it('leaves a popup in the reach of the app that opened it, and keeps other pages apart', async () => {
    const page = await (await scene.browser.newContext()).newPage();
    await page.goto(scene.app.origin);
    const { clientId: client_id, redirectUri: redirect_uri } = scene.client;
    const request = { response_type: 'code', scope: 'openid', client_id, redirect_uri };
    const open = async (url: string): Promise<Page> => {
      const opened = page.waitForEvent('popup');
      await page.evaluate((address) => {
        const heard = new Promise((resolve) =>
          window.addEventListener('message', ({ data }) => resolve(data), { once: true }),
        );
        Object.assign(window, { heard, popup: window.open(address, '_blank', 'width=500,height=600') });
      }, url);
      return await opened;
    };
    const popup = await open(`${scene.service.baseUrl}/authorize?${new URLSearchParams(request)}`);
    await popup.getByRole('heading', { level: 1, name: 'Sign in to ' }).waitFor();
    await approve((await popup.locator('#wallet-link').getAttribute('href')) ?? '');
    await popup.waitForURL((url) => url.origin === scene.app.origin);
    await popup.evaluate(() => window.opener.postMessage(location.search, location.origin));
    const answer = String(await page.evaluate(() => (window as unknown as { heard: unknown }).heard));
    await scene.expectGoodCode(Object.fromEntries(new URLSearchParams(answer)));

    const landing = await open(`${scene.service.baseUrl}/`);
    await landing.waitForLoadState();
    expect(await landing.evaluate(() => window.opener)).toBeNull();
    await page.context().close();
  });
});
