import { afterEach, expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/browser.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import type { SignInTab } from '../../support/signin/sign-in-page-driver.ts';
import { approve } from '../../support/test-wallet.ts';
import { until } from '../../support/until.ts';
import { type BrowserSignIn, startBrowserSignIn } from '../support/browser-sign-in.ts';

const SETTINGS = { 'signin.sessionSeconds': '1209600' };
const STAY = 'Stay signed in to Demo Shop on this browser';
const UNDO = 'Do not stay signed in';

describeInChromium('a person stays signed in', () => {
  let scene: BrowserSignIn | undefined;
  afterEach(async () => {
    await scene?.end();
    scene = undefined;
  });

  const start = async (isScripted: boolean): Promise<BrowserSignIn> => {
    scene = await startBrowserSignIn({ javaScriptEnabled: isScripted }, SETTINGS);
    return scene;
  };
  /** Opens the app again in the tab: the service answers without a page. */
  const returnToApp = async ({ page }: SignInTab, { client, service }: BrowserSignIn) => {
    const { clientId: client_id, redirectUri: redirect_uri } = client;
    const request = { response_type: 'code', scope: 'openid', client_id, redirect_uri };
    await page.goto(`${service.baseUrl}/authorize?${new URLSearchParams(request)}`);
    return new URL(page.url()).searchParams.get('code');
  };

  it('by a box of the page, ticked after the wallet has answered, too, and only by it', async () => {
    const parts = await start(true);
    const tab = await parts.open();
    const box = tab.page.getByRole('checkbox', { name: STAY });
    expect(await box.isChecked()).toBe(false);
    expect(await tab.page.getByText('For 14 days').isVisible()).toBe(true);
    await expectAccessibleLayout(tab.page, 'sign-in-stay');
    // The page, which polls, does not learn of the answer and leave before the box is ticked.
    let tick = (): void => undefined;
    const isTicked = new Promise<void>((done) => {
      tick = done;
    });
    let isHeld = false;
    await tab.page.route('**/status', async (route) => {
      isHeld = true;
      await isTicked;
      await route.continue();
    });
    await until(() => isHeld);
    await approve(await tab.connectUrl());
    await box.check();
    tick();
    await parts.expectGoodCode(await tab.arrived());
    expect(await returnToApp(tab, parts)).toMatch(/^[\w-]{43}$/);

    const again = await parts.open({ prompt: 'login' });
    await approve(await again.connectUrl());
    await parts.expectGoodCode(await again.arrived());
    expect(await returnToApp(again, parts)).toBeNull();
    parts.person.expectClean(parts.app.origin);
  });

  it('by a button without JavaScript, and takes it back', async () => {
    const parts = await start(false);
    const tab = await parts.open();
    expect(await tab.page.getByRole('checkbox').count()).toBe(0);
    /** Presses again if the page reloads itself at the moment of the click. */
    const press = async (name: string, becomes: string): Promise<void> => {
      const next = tab.page.locator('summary, button', { hasText: becomes }).first();
      while (!(await next.isVisible())) {
        // What takes a choice is folded away, until the page reloads itself.
        const fold = tab.page.locator('details:not([open]) > summary', { hasText: name });
        if (await fold.isVisible()) await fold.click({ timeout: 2000 }).catch(() => undefined);
        const button = tab.page.getByRole('button', { name });
        await button.click({ timeout: 2000 }).catch(() => undefined);
      }
    };
    await press(STAY, UNDO);
    await press(UNDO, STAY);
    await press(STAY, UNDO);
    await approve(await tab.connectUrl());
    await parts.expectGoodCode(await tab.arrived());
    expect(await returnToApp(tab, parts)).toMatch(/^[\w-]{43}$/);
  });
});
