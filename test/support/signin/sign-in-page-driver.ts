/** Drives the sign-in page in Chromium. */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openWatchedPage, type WatchedPage } from '../browser/browser.ts';
import type { SignInParameters } from './driver.ts';
import type { SigninService } from './service.ts';

/** One tab with a sign-in. */
export interface SignInTab {
  readonly page: Page;
  readonly status: Locator;
  /** Target of the link to the wallet. */
  connectUrl(): Promise<string>;
  /** Value of the header `Cookie` for the sign-in; the browser keeps those of others, too. */
  cookie(): Promise<string>;
  press(button: 'Try again' | 'Cancel'): Promise<void>;
  /** Waits for the link on the page of a refusal and follows it. */
  goBack(): Promise<void>;
  /** Waits until the browser is back at the app. Returns the parameters in its URL. */
  arrived(): Promise<Readonly<Record<string, string>>>;
}

/** A browser profile with sign-ins in its tabs. */
export interface SignInBrowser extends Omit<WatchedPage, 'page'> {
  /** Opens another tab at `/authorize`, which closes when the test ends, and waits for the page of the new sign-in. */
  open(parameters?: SignInParameters): Promise<SignInTab>;
  /** Expects no errors, no policy violations, and requests only to the service and `apps`. */
  expectClean(...apps: readonly string[]): void;
}

/**
 * Opens a browser profile.
 *
 * @param isExpected - Picks out console errors that belong to the test.
 */
export async function openSignInBrowser(
  browser: Browser,
  { baseUrl, web }: Pick<SigninService, 'baseUrl' | 'web'>,
  isExpected: (fault: string) => boolean = () => false,
  options: BrowserContextOptions = {},
): Promise<SignInBrowser> {
  const watched = await openWatchedPage(browser, isExpected, options);
  const context = watched.page.context();
  await watched.page.close();
  return {
    ...watched,
    async open(parameters = {}) {
      const page = await context.newPage();
      onTestFinished(() => page.close());
      const query = new URLSearchParams({
        response_type: 'code',
        scope: 'openid',
        client_id: web.clientId,
        redirect_uri: web.redirectUri,
        ...parameters,
      });
      await page.goto(`${baseUrl}/authorize?${query}`);
      await page.getByRole('heading', { level: 1, name: 'Sign in to ' }).waitFor();
      return tabOf(page, baseUrl);
    },
    expectClean(...apps) {
      expect(watched.faults).toEqual([]);
      const others = watched.requests
        .map(({ url }) => new URL(url).origin)
        // `data:` has no origin
        .filter((origin) => ![baseUrl, 'null', ...apps].includes(origin));
      expect(others).toEqual([]);
    },
  };
}

function tabOf(page: Page, baseUrl: string): SignInTab {
  return {
    page,
    status: page.locator('#status'),
    async connectUrl() {
      return (await page.locator('#wallet-link').getAttribute('href')) ?? '';
    },
    async cookie() {
      const txn = page.url().split('/').at(-1) ?? '';
      const cookies = await page.context().cookies(page.url());
      const own = cookies.find(({ name }) => name.endsWith(`_${txn.slice(0, 16)}`));
      return `${own?.name}=${own?.value}`;
    },
    goBack: () => page.getByRole('link', { name: 'Back to ' }).click(),
    press: (button) => page.getByRole('button', { name: button }).click(),
    async arrived() {
      await page.waitForURL((url) => url.origin !== baseUrl);
      const { hash, search } = new URL(page.url());
      return Object.fromEntries(new URLSearchParams(hash.slice(1) || search));
    },
  };
}
