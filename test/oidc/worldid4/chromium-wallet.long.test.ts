// Rules: spec/sign-in.md#world-id-40 and spec/sign-in.md#development-wallet
import { decodeJwt } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowBeginning } from '../../../src/oidc/worldid4/beginnings.ts';
import { type AppPage, startAppPage } from '../../support/browser/app-page.ts';
import { BROWSER_TEST, openChromium } from '../../support/browser/browser.ts';
import { openWallet, type WalletDriver } from '../../support/browser/wallet-driver.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import {
  openSignInBrowser,
  type SignInBrowser,
  type SignInTab,
} from '../../support/signin/sign-in-page-driver.ts';
import { isWalletAbsent, WALLET_SKIP } from '../../support/wallet-service.ts';

const [SENT, REFUSED] = ['Answer sent', 'The wallet refused'] as const;
const AFTER_GUARD_MS = 601_000;

describe.skipIf(isWalletAbsent)(
  `people of World ID 4.0 sign in with the development wallet${WALLET_SKIP}`,
  BROWSER_TEST,
  () => {
    let service: SigninService;
    let app: AppPage;
    let chromium: Browser;
    const clients = new Map<string, TestClient>();

    beforeAll(async () => {
      service = await startSigninService({
        settings: { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': 'rp_0123456789abcdef' },
      });
      app = await startAppPage();
      for (const binding of ['bound', 'paired', 'session'] as const) {
        clients.set(binding, await service.addClient({ redirectUris: [app.callback], binding }));
      }
      chromium = await openChromium();
    });
    afterAll(async () => {
      await chromium?.close();
      await app?.end();
      await service?.end();
    });

    const laptop = (): Promise<SignInBrowser> => openSignInBrowser(chromium, service);
    async function walletOf(person: string): Promise<WalletDriver> {
      const wallet = await openWallet(chromium, service.baseUrl);
      await wallet.create(person, person);
      return wallet;
    }
    async function begin(
      browser: SignInBrowser,
      binding: string,
      parameters: Readonly<Record<string, string>> = {},
    ): Promise<SignInTab> {
      const client = clients.get(binding);
      if (client === undefined) throw new Error(`no client ${binding}`);
      return await browser.open({
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'id_token',
        nonce: 'n',
        ...parameters,
      });
    }
    /** Opens the request of the page in the wallet, approves, and waits for the heading. */
    async function answer(tab: SignInTab, wallet: WalletDriver, heading: string = SENT): Promise<void> {
      await wallet.page.goto('about:blank');
      await wallet.page.goto(await tab.connectUrl());
      await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
      await wallet.answer('Approve', heading);
    }
    async function subAt(tab: SignInTab): Promise<string> {
      const { id_token: token = '' } = await tab.arrived();
      return String(decodeJwt(token).sub);
    }
    const isHere = (tab: SignInTab): Promise<void> =>
      tab.page.getByText('This browser was here before').waitFor();

    it.each(['bound', 'session'])(
      'by one proof, and by the session in the same browser: %s',
      async (binding) => {
        const [browser, wallet] = [await laptop(), await walletOf(`ann ${binding}`)];
        const first = await begin(browser, binding);
        await answer(first, wallet);
        const sub = await subAt(first);
        const again = await begin(browser, binding);
        await isHere(again);
        await answer(again, wallet);
        expect(await subAt(again)).toBe(sub);
        browser.expectClean(app.origin);
        await browser.close();
        await wallet.end();
      },
    );

    it('in two steps, which the page counts, also with an old wallet', async () => {
      const [browser, wallet] = [await laptop(), await walletOf('bob')];
      const old = wallet.page.locator('section[aria-labelledby="installation"]');
      await old.getByRole('radio', { name: 'Old' }).check();
      const tab = await begin(browser, 'paired');
      await tab.page.getByText('Step 1 of 2').waitFor();
      const before = await tab.connectUrl();
      await answer(tab, wallet, REFUSED);
      await tab.page.waitForFunction(
        (link) => document.querySelector('#wallet-link')?.getAttribute('href') !== link,
        before,
      );
      await answer(tab, wallet);
      await tab.page.getByText('Step 2 of 2').waitFor();
      await answer(tab, wallet);
      expect(await subAt(tab)).toMatch(/^0x[0-9a-f]{64}$/);
      const refused = await begin(browser, 'bound');
      await answer(refused, wallet, REFUSED);
      await refused.page.waitForTimeout(3000);
      await answer(refused, wallet, REFUSED);
      await refused.page.getByRole('alert').getByText('Update your wallet').waitFor();
      await browser.close();
      await wallet.end();
    });

    it('not without a pointer until another installation proves it, or a new beginning is allowed', async () => {
      const [browser, other, wallet] = [await laptop(), await laptop(), await walletOf('cem')];
      const first = await begin(browser, 'bound');
      await answer(first, wallet);
      const sub = await subAt(first);
      await wallet.page.clock.setFixedTime(Date.now() + AFTER_GUARD_MS);
      const lost = await begin(other, 'bound');
      await answer(lost, wallet, REFUSED);
      await lost.page.getByRole('alert').getByText('What helps').waitFor();
      const installation = wallet.page.locator('section[aria-labelledby="installation"]');
      await installation.getByText('Another installation').click();
      await installation.getByLabel('Name').fill('Tablet');
      await installation.getByRole('button', { name: 'Add installation' }).click();
      await lost.press('Try again');
      await answer(lost, wallet);
      expect(await subAt(lost)).toBe(sub);

      const appId = clients.get('bound')?.clientId ?? '';
      const { loginHint } = await allowBeginning(service.store.people, appId, Date.now());
      const third = await laptop();
      const anew = await begin(third, 'bound', { login_hint: loginHint });
      await answer(anew, wallet);
      expect(await subAt(anew)).not.toBe(sub);
      for (const one of [browser, other, third]) await one.close();
      await wallet.end();
    });

    it('as themselves, when two of them use one browser', async () => {
      const [browser, dora, emil] = [await laptop(), await walletOf('dora'), await walletOf('emil')];
      const first = await begin(browser, 'bound');
      await answer(first, dora);
      const sub = await subAt(first);
      const second = await begin(browser, 'bound');
      await isHere(second);
      await answer(second, emil, REFUSED);
      await second.page.getByRole('alert').getByText('Your wallet could not answer.').waitFor();
      await second.page.getByRole('button', { name: 'Somebody else' }).click();
      await second.page.getByText('Waiting for your wallet.').waitFor();
      await answer(second, emil);
      expect(await subAt(second)).not.toBe(sub);
      const back = await begin(browser, 'bound');
      await back.page.getByRole('button', { name: 'Somebody else' }).click();
      await isHere(back);
      await answer(back, dora);
      expect(await subAt(back)).toBe(sub);
      browser.expectClean(app.origin);
      await browser.close();
      await dora.end();
      await emil.end();
    });
  },
);
