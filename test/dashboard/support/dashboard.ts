/** Drives the operator's dashboard in Chromium. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openChromium, openWatchedPage, type WatchedPage } from '../../support/browser/browser.ts';
import { END_TRANSITIONS } from '../../support/browser/page-states.ts';
import type { StartAppOptions } from '../../support/server/start-app.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';

/** Setting `admin.token` of the services here. */
export const ADMIN_TOKEN: string = 'test-admin-token-with-32-characters-or-more';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RUN_AXE = `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) =>
  id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; ')))`;

/** A tab with the dashboard, signed in. */
export interface DashboardTab extends WatchedPage {
  /** Opens a view by its address, without `#`, and waits until it has read what it shows. */
  show(address: string): Promise<void>;
  /** Waits until nothing on the page is being read. */
  settled(): Promise<void>;
  /** Expects no script error, no violation of the policy, and requests to the admin listener only. */
  expectClean(): void;
}

/** A service with its dashboard in a browser. */
export interface DashboardScene {
  readonly service: SigninService;
  readonly browser: Browser;
  /** Opens a tab in its own browser profile and signs in. */
  open(token?: string, options?: BrowserContextOptions): Promise<DashboardTab>;
  /** Calls the admin API with the token of the configuration. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  end(): Promise<void>;
}

/** Starts all parts. */
export async function startDashboard(options: StartAppOptions = {}): Promise<DashboardScene> {
  const settings = { 'admin.token': ADMIN_TOKEN, ...options.settings };
  const service = await startSigninService({ ...options, settings });
  const browser = await openChromium();
  const { adminUrl } = service.app;
  return {
    service,
    browser,
    open: (token = ADMIN_TOKEN, context = {}) => openDashboard(browser, adminUrl, token, context),
    async call(method, path, body) {
      const response = await fetch(`${adminUrl}/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    async end() {
      await browser.close();
      await service.end();
    },
  };
}

async function openDashboard(
  browser: Browser,
  adminUrl: string,
  token: string,
  options: BrowserContextOptions,
): Promise<DashboardTab> {
  // Refusals of the API that a test provokes are errors on the console of Chromium.
  const watched = await openWatchedPage(browser, (fault) => fault.includes('/admin/v1/'), options);
  const { page, faults, requests } = watched;
  await page.goto(adminUrl);
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'attached' });
  const settled = async (): Promise<void> => {
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
  };
  return {
    ...watched,
    async show(address) {
      // The heading of the view before has the focus, too, until the page has seen the new address.
      await page.evaluate(`new Promise((done) => {
        const before = location.hash;
        location.hash = ${JSON.stringify(address)};
        if (location.hash === before) done();
        else addEventListener('hashchange', () => done(), { once: true });
      })`);
      await page.waitForFunction(`document.activeElement?.localName === 'h1'`);
      await settled();
    },
    settled,
    expectClean() {
      expect(faults).toEqual([]);
      const origins = new Set(requests.map(({ url }) => new URL(url).origin));
      expect([...origins]).toEqual([new URL(adminUrl).origin]);
    },
  };
}

/** Expects that axe-core finds no violation on a page as it is shown. */
export async function expectNoAxeViolation(page: Page, where: string): Promise<void> {
  await page.evaluate(END_TRANSITIONS);
  // The policy of the page forbids a script tag; the debugger may evaluate.
  await page.evaluate(AXE);
  expect(await page.evaluate(RUN_AXE), where).toEqual([]);
}
