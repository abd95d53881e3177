/** Drives the demo in Chromium like a person. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openWatchedPage, type WatchedPage } from '../../support/browser/browser.ts';

/** Choices on the page that differ from the defaults. */
export interface DemoOptions {
  readonly responseType?: string;
  readonly responseMode?: string;
  readonly scope?: string;
  readonly acrValues?: string;
}

/** One tab with the demo. */
export interface DemoTab {
  readonly page: Page;
  /** Makes the choices, presses the button and waits for the sign-in page. */
  signIn(choices?: DemoOptions): Promise<void>;
  /** Returns the address of the link to the wallet. */
  connectUrl(): Promise<string>;
  /** Follows that link, which opens a new tab. */
  openWallet(): Promise<Page>;
  /** Waits until the demo has checked the answer; returns its heading and message. */
  verdict(): Promise<{ readonly heading: string; readonly words: string }>;
  /** Returns the names of the checks on the page, by whether they passed. */
  checks(): Promise<{ readonly right: readonly string[]; readonly wrong: readonly string[] }>;
  /** Returns a value of the section about the person. */
  fact(name: string): Promise<string>;
}

/** A browser profile with the demo in its tabs. */
export interface DemoBrowser extends Omit<WatchedPage, 'page'> {
  readonly context: BrowserContext;
  /** Opens a tab, which closes when the test ends. */
  open(): Promise<DemoTab>;
  /** Expects no error, no policy violation and no request to a third party. */
  expectClean(): void;
}

// Chromium logs each refusal and each aborted request as an error; the demo provokes these, and so does the
// look-up of the wallet.
const isRefusal = (fault: string): boolean =>
  /status of (400|401)|ERR_FAILED/.test(fault) || fault.includes('/wallet/api/inclusion-proof');

/** Opens a browser profile. */
export async function openDemoBrowser(browser: Browser, baseUrl: string): Promise<DemoBrowser> {
  const watched = await openWatchedPage(browser, isRefusal);
  const context = watched.page.context();
  await watched.page.close();
  return {
    ...watched,
    context,
    async open() {
      const page = await context.newPage();
      onTestFinished(() => page.close());
      await page.goto(`${baseUrl}/demo`);
      await page.getByRole('heading', { level: 1, name: 'Demo relying party' }).waitFor();
      return tabOf(page);
    },
    expectClean() {
      expect(watched.faults).toEqual([]);
      const origins = new Set(watched.requests.map(({ url }) => new URL(url).origin));
      // `data:` has no origin
      origins.delete('null');
      expect([...origins]).toEqual([baseUrl]);
    },
  };
}

function tabOf(page: Page): DemoTab {
  return {
    page,
    async signIn({ responseType, responseMode, scope, acrValues }: DemoOptions = {}) {
      await page.getByText('Ask for something else').click();
      if (responseType !== undefined)
        await page.locator(`input[name="response-type"][value="${responseType}"]`).check();
      if (responseMode !== undefined) await page.getByLabel('Response mode').selectOption(responseMode);
      if (scope !== undefined) await page.getByLabel('Scopes').selectOption(scope);
      if (acrValues !== undefined) await page.getByLabel('Level').selectOption(acrValues);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Sign in to Demo relying party' }).waitFor();
    },
    connectUrl: async () => (await page.locator('#wallet-link').getAttribute('href')) ?? '',
    async openWallet() {
      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Open your wallet' }).click();
      const wallet = await opened;
      await wallet.getByText('Sign in to Demo relying party').waitFor();
      return wallet;
    },
    async verdict() {
      const line = page.locator('.status[data-mood="good"], .status[data-mood="bad"]').first();
      await page.getByRole('link', { name: 'Back to the start' }).waitFor();
      await line.waitFor();
      return {
        heading: (await page.getByRole('heading', { level: 1 }).textContent()) ?? '',
        words: (await line.textContent()) ?? '',
      };
    },
    checks: async () => ({
      right: await page.locator('.checks [data-ok="true"] b').allTextContents(),
      wrong: await page.locator('.checks [data-ok="false"] b').allTextContents(),
    }),
    fact: async (name) =>
      (await page
        .locator('section[aria-labelledby="part-who-you-are-to-this-app"]')
        .locator(`dt:text-is("${name}") + dd`)
        .textContent()) ?? '',
  };
}
