/**
 * The reference of the calls in a real browser (src/docs/spec/operations.md#openapi). axe-core is not run: the markup
 * is that of Swagger UI.
 */
import { beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/operations/table.ts';
import { describeInChromium, openChromium, openWatchedPage } from '../../support/browser/browser.ts';
import { takePicture } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import { startApp } from '../../support/server/start-app.ts';

const TOKEN = 'test-admin-token-with-32-characters-or-more';

describeInChromium('/docs of the admin listener', () => {
  const app = opened(() => startApp({ settings: { 'admin.token': TOKEN } }), 'stop');
  const browser = opened(openChromium, 'close');
  const tab = opened(() => openWatchedPage(browser));
  beforeAll(async () => {
    await tab.page.goto(`${app.adminUrl}/docs`);
  });

  it('shows every operation of the document', async () => {
    await tab.page.locator('.opblock').first().waitFor();
    const shown = await tab.page.locator('.opblock-summary-path').allTextContents();
    const plain = (path: string): string => path.replaceAll('\u200b', '');
    expect(shown.map(plain).sort()).toEqual(OPERATIONS.map(({ path }) => path).sort());
  });

  it('makes a call with the token that was typed, and keeps it nowhere', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.modal-ux');
    await dialog.getByRole('textbox').fill(TOKEN);
    await dialog.getByRole('button', { name: /^(?:Apply|Authorize)/ }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const operation = page.locator('[id$="-getStatus"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.getByText('"profile"').first().waitFor();
    expect(await answer.locator('.response-col_status').last().textContent()).toContain('200');
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(
      0,
    );
  });

  it('fits a wide and a narrow screen, in the colours of the system', async () => {
    const { page } = tab;
    for (const [colorScheme, width, color] of [
      ['light', 1280, 'rgba(0, 0, 0, 0)'],
      ['dark', 400, 'rgb(28, 32, 34)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `docs-${colorScheme}-${width}`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), colorScheme).toBe(width);
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(color);
    }
  });

  it('without an error, a violation of its policy or a request to a third party', () => {
    expect(tab.faults).toEqual([]);
    const origins = new Set(tab.requests.map(({ url }) => new URL(url).origin));
    expect([...origins]).toEqual([new URL(app.adminUrl).origin]);
  });
});
