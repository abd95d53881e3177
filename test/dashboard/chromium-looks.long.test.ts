import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { LOAD_APP } from '../support/load.ts';
import {
  type DashboardScene,
  type DashboardTab,
  expectNoAxeViolation,
  startDashboard,
} from './support/dashboard.ts';
import { seedDashboard } from './support/seed.ts';

const VIEWS = [
  ['status', '/status'],
  ['apps', '/apps'],
  ['new-app', '/apps/new'],
  ['app', `/apps/${LOAD_APP}`],
  ['usage', '/usage'],
  ['signups', '/signups?orb_id=orb-1'],
  ['signup', '/signups/0x7'],
  ['keys', '/keys'],
  ['roots', '/roots'],
  ['history', '/roots/staging/orb'],
  ['refusals', '/refusals'],
  ['audit', '/audit'],
  ['settings', '/settings?filter=signin'],
  ['access', '/access'],
] as const;

describe.skipIf(!isChromiumPresent)(`the dashboard${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    // The dashboard shows all rows of its store.
    scene = await startDashboard();
    await seedDashboard(scene);
    tab = await scene.open();
  });
  afterAll(() => scene?.end());

  /** Expects that axe-core finds nothing on a wide screen in the light theme and on a narrow one in the dark theme. */
  async function expectNoViolation(name: string): Promise<void> {
    for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 400] as const]) {
      await tab.page.emulateMedia({ colorScheme });
      await tab.page.setViewportSize({ width, height: 900 });
      await expectNoAxeViolation(tab.page, `${name} in ${colorScheme} at ${width} px`);
    }
  }

  it.each(VIEWS)('shows %s accessibly in both themes and at three widths', async (name, address) => {
    await tab.show(address);
    await expectNoViolation(name);
    await expectAccessibleLayout(tab.page, `dashboard-${name}`);
  });

  it('shows a client with its secrets, and its dialogs, accessibly', async () => {
    const { page } = tab;
    const { app_id: id } = await scene.call<{ readonly app_id: string }>('POST', '/apps', {
      name: 'Loja do João',
      redirect_uris: ['https://loja.example/voltar', 'https://loja.example/volta'],
    });
    await tab.show(`/apps/${id}`);
    await page.getByText('More', { exact: true }).click();
    await expectNoViolation('client');
    await expectAccessibleLayout(page, 'dashboard-client');
    await page.getByRole('button', { name: 'Remove the app' }).click();
    await expectNoViolation('question');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoViolation('secret');
    await expectAccessibleLayout(page, 'dashboard-secret');
    await page.getByRole('button', { name: 'I have stored it' }).click();
  });

  it('shows refusals at the fields of a form, and the error catalogue, accessibly', async () => {
    const { page } = tab;
    await tab.show('/apps/new');
    await page.getByLabel('Redirect URIs').fill('http://shop.example/cb');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('app_id', { exact: true }).fill('shop');
    await page.getByRole('checkbox', { name: 'code', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Correct the 3 marked fields.').waitFor();
    await expectNoViolation('refused-app');
    await expectAccessibleLayout(page, 'dashboard-refused-app');

    const link = page.getByRole('link', { name: 'About app.invalid' });
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    // Its sections are all alike, so two states of the long page are enough.
    for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 320] as const]) {
      await opened.emulateMedia({ colorScheme });
      await opened.setViewportSize({ width, height: 900 });
      await expectNoAxeViolation(opened, `the catalogue in ${colorScheme} at ${width} px`);
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await opened.evaluate(overflow)).toBeLessThanOrEqual(0);
    }
    await opened.close();

    await tab.show('/signups');
    const form = page.getByRole('region', { name: 'Import records' });
    const record = { id_comm: '0x9', signup_id: 's-9', orb_id: 'orb-1', enrolled_at: '2024-01-01T00:00:00Z' };
    const records = [record, { ...record, id_comm: '0xa' }];
    await form.getByLabel('Records', { exact: true }).fill(JSON.stringify(records));
    await form.getByRole('button', { name: 'Import the records' }).click();
    await form.getByText('1 added · 0 updated · 0 unchanged · 1 refused').waitFor();
    await expectNoViolation('import');
    await expectAccessibleLayout(page, 'dashboard-import');
  });

  it('asks for the token accessibly', async () => {
    await tab.page.setViewportSize({ width: 1280, height: 900 });
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    await expectNoAxeViolation(tab.page, 'sign-in');
    await expectAccessibleLayout(tab.page, 'dashboard-sign-in');
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('without an error, a violation of its policy or a request to a third party', () => tab.expectClean());
});
