import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { RUNS_ALL } from '../support/cases.ts';
import { type DashboardScene, type DashboardTab, startDashboard } from './support/dashboard.ts';
import { seedMany } from './support/seed.ts';

const APPS = 10_000;
const AUDIT_ROWS = RUNS_ALL ? 1_000_000 : 100_000;

describe.skipIf(!isChromiumPresent)(`the dashboard of a large service${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    // The dashboard shows all rows of its store.
    scene = await startDashboard();
    seedMany(join(scene.service.app.dataDir, 'proofgate.db'), APPS, AUDIT_ROWS);
    tab = await scene.open();
  });
  afterAll(() => scene?.end());

  const rows = () => tab.page.locator('tbody tr');

  it('finds one of 10,000 apps, and shows them page by page', async () => {
    const { page } = tab;
    await tab.show('/apps');
    expect(await rows().count()).toBe(50);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await tab.settled();
    expect(await rows().count()).toBe(50);
    const second = await rows().first().textContent();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 2', { exact: true }).waitFor();
    await expect.poll(() => rows().first().textContent()).toBe(second);

    await page.getByLabel('Search').fill('NUMBER 4321');
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByRole('link', { name: 'Shop number 4321' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shop number 4321' }).waitFor();
    await page.goBack();
    await expect.poll(() => rows().count()).toBe(1);
    expect(await page.getByLabel('Search').inputValue()).toBe('NUMBER 4321');
  });

  it(`filters and pages through ${AUDIT_ROWS} changes`, async () => {
    const { page } = tab;
    const first = () => rows().first().textContent();
    await tab.show('/audit');
    expect(await rows().count()).toBe(50);
    expect(await first()).toContain(`after ${AUDIT_ROWS}`);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/audit?*', (route) => held.then(() => route.continue()));
    await page.getByLabel('Who').fill('cli:maria');
    await page.getByLabel('Who').press('Enter');
    // The page that it would turn is another list's.
    await page.getByRole('button', { name: 'Next' }).click();
    release();
    await expect.poll(first).toContain(`after ${AUDIT_ROWS - 1}`);
    await page.getByText('Page 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(first).toContain(`after ${AUDIT_ROWS - 50_001}`);
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.getByLabel('Action').fill('app.unheard_of');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No change fits.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => rows().count()).toBe(50);
  });

  it('holds one page of rows at a time and stays clean', async () => {
    expect(Number(await tab.page.evaluate("document.querySelectorAll('*').length"))).toBeLessThan(3000);
    tab.expectClean();
  });
});
