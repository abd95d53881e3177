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
  ['keys', '/keys'],
  ['roots', '/roots'],
  ['refusals', '/refusals'],
  ['audit', '/audit'],
  ['settings', '/settings'],
  ['access', '/access'],
] as const;

describe.skipIf(!isChromiumPresent)(`the dashboard${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    scene = await startDashboard();
    await seedDashboard(scene);
    tab = await scene.open();
  });
  afterAll(() => scene?.end());

  it.each(VIEWS)('shows %s accessibly in both themes and at three widths', async (name, address) => {
    await tab.show(address);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 400]) {
        await tab.page.emulateMedia({ colorScheme });
        await tab.page.setViewportSize({ width, height: 900 });
        await expectNoAxeViolation(tab.page, `${name} in ${colorScheme} at ${width} px`);
      }
    }
    await expectAccessibleLayout(tab.page, `dashboard-${name}`);
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
