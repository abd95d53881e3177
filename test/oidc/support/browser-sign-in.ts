import type { Browser, BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import { type AppPage, startAppPage } from '../../support/browser/app-page.ts';
import { openChromium } from '../../support/browser/browser.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import {
  openSignInBrowser,
  type SignInBrowser,
  type SignInTab,
} from '../../support/signin/sign-in-page-driver.ts';

/** A service, an app with a registered client, and a person with a browser. */
export interface BrowserSignIn {
  readonly service: SigninService;
  readonly app: AppPage;
  readonly client: TestClient;
  readonly browser: Browser;
  readonly person: SignInBrowser;
  /** Begins a sign-in at the app in a new tab of the person. */
  open(parameters?: Readonly<Record<string, string>>, person?: SignInBrowser): Promise<SignInTab>;
  /** Expects that the code of a response can be exchanged for tokens. */
  expectGoodCode(answer: Readonly<Record<string, string>>, by?: TestClient): Promise<void>;
  /** Lets time pass for the service. */
  pass(milliseconds: number): void;
  end(): Promise<void>;
}

/** Starts all parts; `context` is for the browser of the person, `settings` for the service. */
export async function startBrowserSignIn(
  context?: BrowserContextOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<BrowserSignIn> {
  let passedMs = 0;
  const service = await startSigninService({ now: () => Date.now() + passedMs, settings });
  const app = await startAppPage();
  const client = await service.addClient({ redirectUris: [app.callback] });
  const browser = await openChromium();
  const person = await openSignInBrowser(browser, service, () => false, context);
  return {
    service,
    app,
    client,
    browser,
    person,
    open: (parameters = {}, by = person) =>
      by.open({ client_id: client.clientId, redirect_uri: client.redirectUri, ...parameters }),
    async expectGoodCode(answer, by = client) {
      expect((await redeemCode(service.baseUrl, by, answer.code)).status).toBe(200);
    },
    pass(milliseconds) {
      passedMs += milliseconds;
    },
    async end() {
      await person.close();
      await browser.close();
      await app.end();
      await service.end();
    },
  };
}
