import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent, openChromium } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { openWallet, type WalletDriver } from '../support/browser/wallet-driver.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { useSharedApp } from '../support/signin/shared-service.ts';

describe.skipIf(!isChromiumPresent)(
  `World ID 4.0 proofs on the wallet page${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  () => {
    let app: StartedApp;
    let browser: Browser;
    beforeAll(async () => {
      app = await startApp({ settings: { 'verify.worldid4.enabled': 'true' } });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await app?.stop();
    });

    it('are offered beside those of 3.0, and need neither circuit nor identity', async () => {
      const wallet = await openWallet(browser, app.publicUrl);
      const { prove } = wallet;
      const submit = prove.getByRole('button', { name: 'Prove and verify' });
      expect(await submit.isDisabled()).toBe(true);
      expect(await prove.getByRole('radio', { name: 'Orb' }).isVisible()).toBe(true);
      await prove.getByRole('radio', { name: 'World ID 4.0' }).check();
      expect(await prove.getByRole('radio', { name: 'Orb' }).isVisible()).toBe(false);
      await expectAccessibleLayout(wallet.page, 'worldid4-form');
      await prove.getByRole('textbox', { name: 'Action' }).fill('vote-2026');
      await submit.click();
      await prove.getByText('Accepted: a new person for this action.').waitFor();
      expect(await sent(wallet)).toMatchObject({ protocol_version: '4.0', action: 'vote-2026' });
      await submit.click();
      await prove.getByText('Accepted: this person has proved this action before.').waitFor();
      expect(await fact(prove, 'Protocol')).toBe('World ID 4.0');
      expect(await fact(prove, 'Nullifier')).toMatch(/^0x[0-9a-f]{64}$/);
      await expectAccessibleLayout(wallet.page, 'worldid4-reuse');
      await prove.getByRole('radio', { name: 'World ID 3.0' }).check();
      expect(await submit.isDisabled()).toBe(true);
      await wallet.end();
    });

    it('are not offered while World ID 4.0 is switched off', async () => {
      const off = await useSharedApp();
      const wallet = await openWallet(browser, off.publicUrl);
      await wallet.prove.getByText('For World ID 4.0 proofs, start the service with').waitFor();
      expect(await wallet.prove.getByRole('group', { name: 'Protocol' }).count()).toBe(0);
      expect(await wallet.prove.getByRole('radio', { name: 'World ID' }).count()).toBe(0);
      await wallet.end();
    });

    it('begin a session, whose id is filled in, and continue it', async () => {
      const wallet = await openWallet(browser, app.publicUrl);
      const { prove } = wallet;
      const submit = prove.getByRole('button', { name: 'Prove and verify' });
      await prove.getByRole('radio', { name: 'World ID 4.0' }).check();
      await prove.getByRole('radio', { name: 'Session' }).check();
      expect(await prove.getByRole('textbox', { name: 'Action' }).isVisible()).toBe(false);
      await submit.click();
      await prove.getByText('Accepted: the person of this session.').waitFor();
      const id = await prove.getByLabel('Session id').inputValue();
      expect(id).toMatch(/^session_[0-9a-f]{128}$/);
      expect(await fact(prove, 'Message')).toBe('Session proof verified successfully');
      expect(await fact(prove, 'Session')).toBe(id);
      await prove.getByText('Request as it was sent').click();
      await expectAccessibleLayout(wallet.page, 'worldid4-session');
      const first = await sent(wallet);
      await submit.click();
      await expect.poll(async () => (await sent(wallet))?.nonce).not.toBe(first?.nonce);
      await prove.getByText('Accepted: the person of this session.').waitFor();
      expect(await sent(wallet)).toMatchObject({ session_id: id });
      await wallet.end();
    });
  },
);

/** Returns the last request that the page sent to the verification interface, once the page shows it. */
async function sent(wallet: WalletDriver): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bodies = wallet.requests.filter(({ url }) => url.includes('/api/v4/verify/')).map(({ body }) => body);
  const shown = await wallet.prove.locator('details:has-text("Request as it was sent") pre').textContent();
  const request = JSON.parse(shown ?? '{}') as Readonly<Record<string, unknown>>;
  return JSON.stringify(request) === bodies.at(-1) ? request : undefined;
}

async function fact(prove: Locator, name: string): Promise<string | null> {
  return await prove.locator(`dt:text-is("${name}") + dd`).textContent();
}
