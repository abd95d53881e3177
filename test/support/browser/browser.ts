/** Chromium for tests of pages, and a page that records its requests and errors. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { CHROMIUM, isChromiumPresent } from './shared-chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the address of the Chromium of the run. */
    readonly chromiumUrl: string;
  }
}

export { isChromiumPresent };

/** Suffix of the title of a test that is skipped without a browser. */
export const CHROMIUM_SKIP: string = isChromiumPresent ? '' : ` [skipped: no Chromium at ${CHROMIUM}]`;

/** Options of tests that open pages; the timeout allows for other load on the machine. */
export const BROWSER_TEST = { timeout: 180_000 } as const;

/** Connects to the headless Chromium of the run. Closing the browser closes the pages of this connection only. */
export async function openChromium(): Promise<Browser> {
  const answer = await fetch(inject('chromiumUrl'));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Chromium did not start: ${text}`);
  return await chromium.connect(text);
}

/** A request that a page or one of its workers made. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** A page in its own browser profile. */
export interface WatchedPage {
  readonly page: Page;
  readonly requests: readonly SeenRequest[];
  /** Script errors, console errors and warnings, and policy violations. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens an empty page.
 *
 * @param isExpected - Picks out console errors that belong to the test, such as a 404 that it provokes.
 */
export async function openWatchedPage(
  browser: Browser,
  isExpected: (fault: string) => boolean = () => false,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const requests: SeenRequest[] = [];
  const faults: string[] = [];
  const report = (fault: string): void => {
    if (!isExpected(fault)) faults.push(fault);
  };
  context.on('request', (request) => {
    requests.push({ method: request.method(), url: request.url(), body: request.postData() ?? '' });
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      report(`${message.type()}: ${message.text()} at ${message.location().url}`);
    }
  });
  context.on('weberror', (error) => report(`page error: ${error.error().message}`));
  await context.exposeFunction('reportViolation', (text: string) => report(`policy: ${text}`));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
       reportViolation(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample))`,
  );
  // A proof takes long on a loaded machine. Less than the test has, so that a failure says what was awaited.
  context.setDefaultTimeout(150_000);
  const page = await context.newPage();
  return { page, requests, faults, close: () => context.close() };
}

/** Opens an empty page before the tests of a suite, and closes it after them. @param isExpected - As of `openWatchedPage`. */
export function useWatchedPage(isExpected?: (fault: string) => boolean): WatchedPage {
  let browser: Browser | undefined;
  const watched: Partial<WatchedPage> = {};
  beforeAll(async () => {
    browser = await openChromium();
    Object.assign(watched, await openWatchedPage(browser, isExpected));
  });
  afterAll(async () => {
    await watched.close?.();
    await browser?.close();
  });
  return watched as WatchedPage;
}
