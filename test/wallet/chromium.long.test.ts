import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent, openChromium } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { openWallet } from '../support/browser/wallet-driver.ts';
import { childrenOf, raisePriority } from '../support/server/processes.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { putSignInRequest } from '../support/signin/sign-in-request.ts';
import { pollUntil } from '../support/until.ts';
import { isWalletAbsent, useWalletService, WALLET_SKIP } from '../support/wallet-service.ts';

const STORED = "localStorage.getItem('proofgate.wallet')";

describe.skipIf(!isChromiumPresent)(
  `the wallet page while the service makes the circuit${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  () => {
    let app: StartedApp;
    let browser: Browser;
    /** Signals the process that makes the circuit: stopped, it cannot finish before the page is inspected. */
    const signalMaker = (signal: NodeJS.Signals): void => {
      for (const pid of childrenOf(process.pid, 'setup-process')) process.kill(pid, signal);
    };
    beforeAll(async () => {
      browser = await openChromium();
      app = await startApp({ settings: { 'development.makeCircuit': 'true' } });
      await pollUntil(() => childrenOf(process.pid, 'setup-process').length > 0);
      signalMaker('SIGSTOP');
    });
    afterAll(async () => {
      signalMaker('SIGCONT');
      await browser?.close();
      await app?.stop();
    });

    it('shows the progress, and continues by itself when the circuit is ready', async () => {
      const request = await putSignInRequest(app.publicUrl);
      const wallet = await openWallet(browser, app.publicUrl, `#${request.members}`);
      await wallet.page.getByText('The service is making the development circuit').waitFor();
      await wallet.page.getByRole('progressbar', { name: 'Progress of the development circuit' }).waitFor();
      await expectAccessibleLayout(wallet.page, 'circuit-is-made');
      await wallet.create('Alice');
      await wallet.enrol('Orb');
      const approve = wallet.signIn.getByRole('button', { name: 'Approve' });
      expect(await approve.isDisabled()).toBe(true);
      signalMaker('SIGCONT');
      // The page is not reloaded.
      await pollUntil(async () => {
        for (const pid of childrenOf(process.pid, 'setup-process')) raisePriority(pid);
        return await approve.isEnabled();
      });
      await approve.click();
      await wallet.signIn.getByRole('heading', { name: 'Answer sent' }).waitFor();
      expect((await request.take()).answer?.verification_level).toBe('orb');
      expect(await wallet.page.locator('#circuit-note').isVisible()).toBe(false);
      expect(await wallet.prove.getByRole('button', { name: 'Prove and verify' }).isEnabled()).toBe(true);
      await wallet.end();
    });
  },
);

describe.skipIf(!isChromiumPresent)(`the wallet page without a circuit${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let app: StartedApp;
  let browser: Browser;
  beforeAll(async () => {
    // The page has the default settings.
    app = await startApp();
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
  });

  it('names the command that builds it, allows enrolment, and proves nothing', async () => {
    const wallet = await openWallet(browser, app.publicUrl);
    await wallet.page.getByText('npx proofgate circuits setup', { exact: true }).waitFor();
    await wallet.create('Alice');
    await wallet.enrol('Orb');
    expect(await wallet.prove.getByRole('button', { name: 'Prove and verify' }).isDisabled()).toBe(true);
    await expectAccessibleLayout(wallet.page, 'circuit-not-built');

    const request = await putSignInRequest(app.publicUrl);
    await wallet.page.goto(`${app.publicUrl}/wallet#${request.members}`);
    await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
    expect(await wallet.signIn.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await expectAccessibleLayout(wallet.page, 'circuit-not-built-sign-in');
    await wallet.answer('Decline', 'Declined');
    expect((await request.take()).answer).toEqual({ error_code: 'verification_rejected' });
    await wallet.end();
  });

  it('deletes an identity after confirmation, and keeps it after Cancel', async () => {
    const wallet = await openWallet(browser, app.publicUrl);
    await wallet.create('Alice');
    await wallet.create('Bob');
    await wallet.identities.getByRole('button', { name: 'Delete…' }).click();
    await wallet.page.getByRole('dialog', { name: 'Delete “Bob”?' }).waitFor();
    await expectAccessibleLayout(wallet.page, 'delete-question');
    await wallet.page.getByRole('button', { name: 'Cancel' }).click();
    expect(await wallet.identities.getByRole('radio').count()).toBe(2);
    await wallet.identities.getByRole('button', { name: 'Delete…' }).click();
    await wallet.page.getByRole('button', { name: 'Delete identity' }).click();
    await wallet.identities.getByText('“Bob” is deleted.').waitFor();
    expect(await wallet.identities.getByRole('radio', { name: 'Alice' }).isChecked()).toBe(true);
    expect(await wallet.page.evaluate(STORED)).not.toContain('Bob');
    await wallet.end();
  });

  it('reports that an identity from a secret text exists already', async () => {
    const wallet = await openWallet(browser, app.publicUrl);
    await wallet.create('First', 'one secret');
    await wallet.create('Second', 'another secret');
    await wallet.identities.locator('summary').click();
    await wallet.identities.getByRole('radio', { name: 'From a secret text' }).check();
    await wallet.identities.getByLabel('Secret text', { exact: true }).fill('one secret');
    await expectAccessibleLayout(wallet.page, 'identity-form-secret');
    await wallet.identities.getByRole('button', { name: 'Create identity' }).click();
    await wallet.identities.getByText('You have this identity already, as “First”.').waitFor();
    expect(await wallet.identities.getByRole('radio', { name: 'First' }).isChecked()).toBe(true);
    const sent = wallet.requests.map(({ url, body }) => `${decodeURIComponent(url)} ${body}`);
    expect(sent.filter((text) => text.includes('secret'))).toEqual([]);
    await wallet.end();
  });

  it('does not overwrite data that it cannot read, and shows the changes of another tab', async () => {
    const wallet = await openWallet(browser, app.publicUrl);
    await wallet.page.evaluate("localStorage.setItem('proofgate.wallet', 'from another version')");
    await wallet.page.reload();
    await wallet.identities
      .getByText('What this browser has stored for the wallet cannot be read.')
      .waitFor();
    await expectAccessibleLayout(wallet.page, 'identities-unreadable');
    expect(await wallet.page.evaluate(STORED)).toBe('from another version');

    const tab = await wallet.page.context().newPage();
    await tab.goto(`${app.publicUrl}/wallet`);
    await tab.getByRole('button', { name: 'Delete what is stored…' }).click();
    await tab.getByRole('button', { name: 'Delete', exact: true }).click();
    await tab.getByLabel('Label').fill('Tab');
    await tab.getByRole('button', { name: 'Create identity' }).click();
    await wallet.identities.getByRole('radio', { name: 'Tab' }).waitFor();
    await wallet.identities.getByText('cannot be read').waitFor({ state: 'detached' });
    await wallet.end();
  });

  it('reports that the service is unreachable', async () => {
    // It is stopped.
    const gone = await startApp();
    const isRefused = (fault: string): boolean => fault.includes('ERR_CONNECTION_REFUSED');
    const wallet = await openWallet(browser, gone.publicUrl, '', isRefused);
    await wallet.create('Alice');
    await wallet.identities.getByRole('button', { name: 'Enrol in Orb' }).waitFor();
    await gone.stop();
    await wallet.identities.getByRole('button', { name: 'Enrol in Orb' }).click();
    await wallet.identities.getByText('The service could not be reached. Is it running?').waitFor();
    await expectAccessibleLayout(wallet.page, 'service-gone');
    await wallet.end();
  });
});

describe.skipIf(isWalletAbsent)(`the wallet page${WALLET_SKIP}`, BROWSER_TEST, () => {
  const service = useWalletService();

  it('works with the keyboard alone, and shows where the focus is', async () => {
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    const { page } = wallet;
    const { keyboard } = page;
    await tabTo(page, 'Label');
    await keyboard.type('Alice');
    await tabTo(page, 'Create identity');
    await keyboard.press('Enter');
    await wallet.identities.getByText('“Alice” is created and in use.').waitFor();
    await wallet.identities.getByRole('button', { name: 'Enrol in Orb' }).waitFor();
    await expectFocus(page, 'New identity');
    await tabTo(page, 'Enrol in Orb', 'Shift+Tab');
    await keyboard.press('Space');
    await wallet.identities.getByText('enrolled, place 1').waitFor();
    await expectFocus(page, 'Orb');

    await tabTo(page, 'Action');
    await keyboard.type('vote');
    await tabTo(page, 'Orb');
    await keyboard.press('ArrowDown');
    await expectFocus(page, 'Device');
    await keyboard.press('ArrowUp');
    await tabTo(page, 'Prove and verify');
    await keyboard.press('Enter');
    await wallet.prove.getByText('Accepted: a new person for this action.').waitFor();
    await expectFocus(page, 'Prove and verify');

    const request = await putSignInRequest(service.app.publicUrl);
    await tabTo(page, 'Sign-in link');
    await keyboard.insertText(`${service.app.publicUrl}/wallet#${request.members}`);
    await keyboard.press('Enter');
    await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
    await expectFocus(page, 'An app asks for a proof');
    await tabTo(page, 'Approve');
    await keyboard.press('Enter');
    await wallet.signIn.getByRole('heading', { name: 'Answer sent' }).waitFor();
    await expectFocus(page, 'Answer sent');
    expect((await request.take()).answer).toHaveProperty('proof');

    await tabTo(page, 'Delete…', 'Shift+Tab');
    await keyboard.press('Enter');
    await expectFocus(page, 'Cancel');
    await keyboard.press('Escape');
    await expectFocus(page, 'Delete…');
    await keyboard.press('Enter');
    await tabTo(page, 'Delete identity');
    await keyboard.press('Enter');
    await wallet.identities.getByText('“Alice” is deleted.').waitFor();
    await expectFocus(page, 'Your identities');
    await wallet.end();
  });

  it('reports the missing circuit when it is removed, and answers once it is back', async () => {
    const is404 = (fault: string): boolean => fault.includes('404') && fault.includes('/wallet/circuit/');
    const request = await putSignInRequest(service.app.publicUrl);
    const wallet = await openWallet(service.browser, service.app.publicUrl, '', is404);
    await wallet.create('Frank');
    await wallet.enrol('Device');
    const circuits = join(service.dataDir, 'circuits');
    await rename(circuits, join(service.dataDir, 'away'));
    try {
      await wallet.startProof({ action: 'vote', tree: 'Device' });
      await wallet.prove.getByText('proofgate circuits setup').waitFor();
      await expectAccessibleLayout(wallet.page, 'action-failed');
      await wallet.openLink(`${service.app.publicUrl}/wallet#${request.members}`);
      await wallet.answer('Approve', 'The answer was not sent');
      await expectAccessibleLayout(wallet.page, 'sign-in-failed');
    } finally {
      await rename(join(service.dataDir, 'away'), circuits);
    }
    await wallet.signIn.getByRole('button', { name: 'Try again' }).click();
    await wallet.answer('Approve', 'Answer sent');
    expect((await request.take()).answer?.verification_level).toBe('device');
    await wallet.end();
  });
});

/** Returns the label or text of the focused element. */
async function focused(page: Page): Promise<string> {
  const text = await page.evaluate(`(() => {
    const node = document.activeElement;
    return node.labels?.[0]?.textContent ?? node.textContent;
  })()`);
  return String(text).trim();
}

/** Waits for the focus, which moves in a later turn than the text changes. */
async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focused(page)).toContain(name);
}

/** Presses Tab until a control has the focus, and expects a focus ring around each control on the way. */
async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const here = await focused(page);
    const ring = await page.evaluate(`(() => {
      const node = document.activeElement;
      if (node === document.body) return 'none needed';
      return getComputedStyle(node.type === 'radio' ? node.closest('label') : node).outlineStyle;
    })()`);
    expect(ring, `focus ring of ${here}`).not.toBe('none');
    if (here === name) return;
  }
  throw new Error(`expected to reach ${name} with ${key}, but it never had the focus`);
}
