/** What an operator learns of sources of roots that fail, and does with roots. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { answering } from '../support/chain/behaviours.ts';
import { hangUp } from '../support/chain/broken-answers.ts';
import { hexWords } from '../support/chain/scripted-contracts.ts';
import {
  type DashboardScene,
  type DashboardTab,
  expectNoAxeViolation,
  startDashboard,
} from './support/dashboard.ts';
import { type SourceChain, startSourceChain } from './support/source-chain.ts';

const ALL_ROOTS = 6;

describe.skipIf(!isChromiumPresent)(`roots on the dashboard${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let chain: SourceChain;
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    chain = await startSourceChain();
    scene = await startDashboard({ settings: chain.settings });
    tab = await scene.open();
  });
  afterAll(async () => {
    await scene?.end();
    await chain?.close();
  });
  afterEach(() => tab.expectClean());

  const source = (id: string) => tab.page.getByRole('article', { name: `Source ${id}` });

  /** Shows the view again until a source says something. */
  async function showUntil(id: string, text: string | RegExp): Promise<string> {
    await expect
      .poll(async () => {
        await tab.show('/status');
        await tab.show('/roots');
        return await source(id).textContent();
      })
      .toMatch(text);
    return (await source(id).textContent()) ?? '';
  }

  it('tells a source that works from one whose address has no contract, and says what to correct', async () => {
    expect(await showUntil('orb', /up to date/)).toContain(
      '3 of 3 providers answer; 2 must give the same answer.',
    );
    expect(await source('orb').getByRole('alert').count()).toBe(0);
    const failing = await showUntil('face', /failing/);
    expect(failing).toContain('It has not read a root yet. Proofs over this tree are refused');
    expect(failing).toContain('There is no contract at the address.');
    expect(failing).toContain(
      'What helps: Correct the address of the source, or the chain of its providers.',
    );
    const link = source('face').getByRole('link', { name: 'About roots.contract_missing' });
    const [opened] = await Promise.all([tab.page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    expect(await opened.locator('section:target h2').textContent()).toBe(
      'There is no contract at the address',
    );
    expect(await opened.locator('section:target dd').first().isVisible()).toBe(true);
    await opened.close();
  });

  it('shows the past roots of a tree, the newest first, and prunes them', async () => {
    const { page } = tab;
    await showUntil('orb', /up to date/);
    await source('orb').getByRole('link', { name: 'History of orb, staging' }).click();
    await page.getByRole('heading', { level: 1, name: 'Roots of orb, staging' }).waitFor();
    await tab.settled();
    const roots = page
      .getByRole('region', { name: 'History' })
      .locator('tbody tr')
      .filter({ hasText: 'that of the tree' });
    await expect.poll(() => roots.count()).toBe(ALL_ROOTS);
    expect(await roots.first().textContent()).toContain('current');
    expect(await roots.first().locator('code').getAttribute('title')).toBe(hexWords(105n));
    expect(await roots.last().locator('code').getAttribute('title')).toBe(hexWords(100n));

    await tab.show('/roots');
    await page.getByRole('button', { name: 'Prune' }).click();
    await page.getByText('Choose a date.').waitFor();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
    await page.getByLabel('Received before').fill(tomorrow);
    await page.getByRole('button', { name: 'Prune' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page
      .getByText(/past roots are removed\./)
      .first()
      .waitFor();
    await tab.show('/roots/staging/orb');
    expect(await roots.count()).toBe(1);
  });

  it('says in plain language that providers contradict each other, and then that they do not answer', async () => {
    for (const [index, provider] of chain.providers.entries()) {
      provider.behaviour = answering(hexWords(BigInt(index + 900)), 'eth_call');
    }
    const contradicting = await showUntil('orb', /Providers contradict each other/);
    expect(contradicting).toContain('retrying');
    expect(contradicting).toContain('the roots that are known still count');
    expect(contradicting).toContain('Find out which of them is wrong');

    for (const provider of chain.providers) provider.broken = hangUp;
    const silent = await showUntil('orb', /Providers do not answer/);
    expect(silent).toContain('0 of 3 providers answer');
    const rows = source('orb').locator('tbody tr');
    expect(await rows.first().textContent()).toContain('does not answer');
    expect(await rows.first().textContent()).toContain('Check its address in roots.rpc');
    await expectNoAxeViolation(tab.page, 'sources that fail');
    await expectAccessibleLayout(tab.page, 'dashboard-failing-sources');
  });
});
