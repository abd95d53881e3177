import { describe, onTestFinished } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, openWatchedPage, type WatchedPage } from './browser.ts';
import { isChromiumPresent } from './shared-chromium.ts';

/** Declares a suite that opens pages; it is skipped by name without a browser. */
export function describeInChromium(title: string, define: () => void): void {
  describe.skipIf(!isChromiumPresent)(`${title}${CHROMIUM_SKIP}`, BROWSER_TEST, define);
}

/** Opens an empty page as `openWatchedPage` does; its browser profile closes when the test ends. */
export async function openTestPage(...given: Parameters<typeof openWatchedPage>): Promise<WatchedPage> {
  const watched = await openWatchedPage(...given);
  onTestFinished(watched.close);
  return watched;
}
