import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppPage, startAppPage } from '../../support/browser/app-page.ts';
import { BROWSER_TEST, openChromium } from '../../support/browser/browser.ts';
import { linkDevelopmentCircuit } from '../../support/crypto/development-circuit.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import {
  openSignInBrowser,
  type SignInBrowser,
  type SignInTab,
} from '../../support/signin/sign-in-page-driver.ts';
import { isWalletAbsent, WALLET_SKIP } from '../../support/wallet-service.ts';

describe.skipIf(isWalletAbsent)(
  `a person signs in with the development wallet${WALLET_SKIP}`,
  BROWSER_TEST,
  () => {
    let dataDir: string;
    let service: SigninService;
    let app: AppPage;
    let client: TestClient;
    let browser: Browser;
    let person: SignInBrowser;
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'proofgate-signin-'));
      await linkDevelopmentCircuit(dataDir);
      service = await startSigninService({ dataDir });
      app = await startAppPage();
      client = await service.addClient({ redirectUris: [app.callback] });
      browser = await openChromium();
      // Chromium logs each 404 as an error; the wallet API answers 404 for a commitment in no tree
      person = await openSignInBrowser(browser, service, (fault) =>
        fault.includes('/wallet/api/inclusion-proof'),
      );
    });
    afterAll(async () => {
      await person?.close();
      await browser?.close();
      await app?.end();
      await service?.end();
      if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    });

    /** Signs in by the link of the page, which opens the wallet in a new tab; returns the response. */
    async function signIn(
      parameters: Readonly<Record<string, string>>,
      inWallet: (wallet: Page) => Promise<void>,
      afterwards: (tab: SignInTab) => Promise<void> = async () => {},
    ): Promise<Readonly<Record<string, string>>> {
      const tab = await person.open({
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'id_token',
        nonce: 'n',
        ...parameters,
      });
      const opened = tab.page.context().waitForEvent('page');
      await tab.page.getByRole('link', { name: 'Open your wallet' }).click();
      const wallet = await opened;
      await wallet.getByText('Sign in to Demo Shop').waitFor();
      await tab.page.getByText('Confirm in your wallet.').waitFor();
      await inWallet(wallet);
      await afterwards(tab);
      const answer = await tab.arrived();
      await wallet.close();
      await tab.page.close();
      return answer;
    }
    const approve = (wallet: Page): Promise<void> => wallet.getByRole('button', { name: 'Approve' }).click();

    it('and has the same sub each time', async () => {
      const first = await signIn({ scope: 'openid email' }, async (wallet) => {
        await wallet.getByLabel('Label').fill('Alice');
        await wallet.getByRole('button', { name: 'Create identity' }).click();
        await wallet.getByRole('button', { name: 'Enrol in Orb' }).click();
        await wallet.getByText('enrolled, place 1').waitFor();
        await approve(wallet);
      });
      const claims = decodeJwt(first.id_token ?? '');
      expect(claims).toMatchObject({ iss: service.baseUrl, aud: client.clientId, nonce: 'n', acr: 'orb' });
      expect(claims.sub).toMatch(/^0x[0-9a-f]{64}$/);
      const second = await signIn({ acr_values: 'orb' }, approve);
      expect(decodeJwt(second.id_token ?? '').sub).toBe(claims.sub);
    });

    it('declines in the wallet, reads the message, and returns to the app', async () => {
      const decline = (wallet: Page): Promise<void> =>
        wallet.getByRole('button', { name: 'Decline' }).click();
      const answer = await signIn({}, decline, async (tab) => {
        await tab.page.getByRole('alert').getByText('You declined in your wallet.').waitFor();
        await tab.goBack();
      });
      expect(answer).toMatchObject({
        error: 'access_denied',
        error_description: 'The person declined in the wallet.',
      });
    });

    it('without a policy violation, an error or a request to a third party', () => {
      person.expectClean(app.origin);
    });
  },
);
