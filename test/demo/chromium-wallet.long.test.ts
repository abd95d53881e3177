import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, openChromium } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { linkDevelopmentCircuit } from '../support/crypto/development-circuit.ts';
import { type SigninService, startSigninService } from '../support/signin/service.ts';
import { isWalletAbsent, WALLET_SKIP } from '../support/wallet-service.ts';
import { type DemoBrowser, type DemoTab, openDemoBrowser } from './support/demo-driver.ts';

describe.skipIf(isWalletAbsent)(
  `a newcomer signs in at the demo with the development wallet${WALLET_SKIP}`,
  BROWSER_TEST,
  () => {
    let dataDir: string;
    let service: SigninService;
    let browser: Browser;
    let person: DemoBrowser;
    let sub: string;
    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'proofgate-demo-'));
      await linkDevelopmentCircuit(dataDir);
      service = await startSigninService({ dataDir });
      browser = await openChromium();
      person = await openDemoBrowser(browser, service.baseUrl);
    });
    afterAll(async () => {
      await person?.close();
      await browser?.close();
      await service?.end();
      if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    });
    const approve = (wallet: Page): Promise<void> => wallet.getByRole('button', { name: 'Approve' }).click();

    /** Approves in the wallet, and closes it when its answer is sent. */
    async function approveIn(tab: DemoTab): Promise<void> {
      const wallet = await tab.openWallet();
      await approve(wallet);
      await wallet.getByRole('heading', { name: 'Answer sent' }).waitFor();
      await wallet.close();
    }

    it('from the sign-in button to the claims, with a code that works once', async () => {
      const tab = await person.open();
      await expectAccessibleLayout(tab.page, 'demo-start');
      await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
      const wallet = await tab.openWallet();
      await wallet.getByRole('button', { name: 'Create identity' }).click();
      await approve(wallet);
      await wallet.getByRole('button', { name: 'Enrol in Orb and go on' }).click();
      const { heading } = await tab.verdict();
      await wallet.close();
      expect(heading).toBe('Signed in');
      sub = await tab.fact('Identifier');
      expect(sub).toMatch(/^0x[0-9a-f]{64}$/);
      expect(await tab.fact('Level')).toBe('orb');
      await expectAccessibleLayout(tab.page, 'demo-signed-in');

      await tab.page.getByRole('button', { name: 'Use the code again' }).click();
      await tab.page
        .getByText(
          'Refused: the code was used already (invalid_grant). The access token is revoked: /userinfo answers 401.',
        )
        .waitFor();
      const misuse = tab.page.locator('section[aria-labelledby="part-try-what-must-not-work"]');
      for (const summary of await misuse.locator('summary').all()) await summary.click();
      expect(await misuse.textContent()).toContain('Invalid authorization code.');
      expect(await misuse.textContent()).toContain('WWW-Authenticate: Bearer realm=');
      await expectAccessibleLayout(tab.page, 'demo-code-again');
      person.expectClean();
    });

    it('and has the same sub by code id_token token with form_post, and can revoke the access token', async () => {
      const tab = await person.open();
      await tab.signIn({
        responseType: 'code id_token token',
        responseMode: 'form_post',
        scope: 'openid email profile',
        acrValues: 'orb',
      });
      await approveIn(tab);
      expect((await tab.verdict()).heading).toBe('Signed in');
      expect((await tab.checks()).wrong).toEqual([]);
      expect(await tab.fact('Identifier')).toBe(sub);
      expect(await tab.fact('Email')).toBe(`${sub}@127.0.0.1`);
      expect(await tab.fact('Name')).toBe('World ID User');
      await tab.page.getByRole('button', { name: 'Revoke the access token' }).click();
      await tab.page.getByText('Revoked: /userinfo now answers 401.').waitFor();
      await expectAccessibleLayout(tab.page, 'demo-revoked');
      person.expectClean();
    });

    it('or declines, which the demo reports', async () => {
      const tab = await person.open();
      await tab.page.getByText('Ask for something else').click();
      await expectAccessibleLayout(tab.page, 'demo-options');
      await tab.page.reload();
      await tab.signIn();
      const wallet = await tab.openWallet();
      await wallet.getByRole('button', { name: 'Decline' }).click();
      await tab.page.getByRole('link', { name: 'Back to ' }).click();
      expect(await tab.verdict()).toEqual({
        heading: 'Not signed in',
        words: 'The person declined, or left the sign-in page. An app offers to try again.',
      });
      await wallet.close();
      await tab.page.getByText('access_denied', { exact: true }).waitFor();
      await tab.page.getByText('The person declined in the wallet.').waitFor();
      await expectAccessibleLayout(tab.page, 'demo-declined');
      await tab.page.getByRole('link', { name: 'Back to the start' }).click();
      await tab.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      person.expectClean();
    });

    it('in two tabs at the same time, each with its own sign-in', async () => {
      const first = await person.open();
      const second = await person.open();
      await first.signIn({ responseType: 'id_token' });
      await second.signIn({ scope: 'openid email' });
      await approveIn(second);
      expect((await second.verdict()).heading).toBe('Signed in');
      await approveIn(first);
      expect((await first.verdict()).heading).toBe('Signed in');
      expect(await first.fact('Identifier')).toBe(sub);
      expect(await second.fact('Email')).toBe(`${sub}@127.0.0.1`);
      person.expectClean();
    });
  },
);
