/** What an operator does with verifying keys, signups, keys of orbs, counts, and forms that are refused. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { orbPem } from '../cli/support/orb-pem.ts';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { LOAD_APP } from '../support/load.ts';
import {
  type DashboardScene,
  type DashboardTab,
  expectNoAxeViolation,
  startDashboard,
} from './support/dashboard.ts';
import { seedDashboard } from './support/seed.ts';

const KEY = JSON.parse(
  readFileSync(new URL('../../circuits/semaphore-depth20/verification-key.json', import.meta.url), 'utf8'),
);

const GNARK = JSON.parse(readFileSync(new URL('../vectors/forms/gnark.json', import.meta.url), 'utf8'))
  .circuits[1];

describe.skipIf(!isChromiumPresent)(`records on the dashboard${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    scene = await startDashboard({ settings: { 'storage.cacheSeconds': '0' } });
    await seedDashboard(scene);
    tab = await scene.open();
  });
  afterAll(() => scene?.end());
  afterEach(() => tab.expectClean());

  const region = (name: string) => tab.page.getByRole('region', { name, exact: true });
  const focused = (): Promise<unknown> => tab.page.evaluate('document.activeElement.name');

  it('imports a verifying key from a file, sees it listed, and what it is used for', async () => {
    const { page } = tab;
    await tab.show('/keys');
    const form = region('Import a verifying key');
    await form.getByLabel('Id', { exact: true }).fill('ceremony-2');
    await form.getByLabel('Or a file with it').setInputFiles({
      name: 'key.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(KEY)),
    });
    await form.getByLabel('Tree depth').fill('20');
    await form.getByLabel('Source').fill('ceremony of the example');
    await form.getByRole('button', { name: 'Import the key' }).click();
    await page.getByText('The key ceremony-2 is imported.').first().waitFor();
    await form.getByText('Nothing uses ceremony-2 yet.').waitFor();
    const row = region('Verifying keys').getByRole('row').filter({ hasText: 'ceremony-2' });
    expect(await row.textContent()).toMatch(
      /nothing.*depth 20.*4 public inputs.*imported.*ceremony of the example/,
    );

    const root = { environment: 'production', tree: 'face', root: '0x9', key: 'ceremony-2' };
    await scene.call('POST', '/roots', root);
    await tab.show('/status');
    await tab.show('/keys');
    expect(await row.textContent()).toContain('production, current root of: face');
    const bound = region('Verifying keys').getByRole('row').filter({ hasText: 'semaphore-depth30' });
    expect(await bound.textContent()).toContain('production: orb');
  });

  it('imports a key of gnark from the bytes of its file', async () => {
    const { page } = tab;
    await tab.show('/keys');
    const form = region('Import a verifying key');
    await form.getByLabel('Id', { exact: true }).fill('of-gnark');
    await form.getByLabel('Or a file with it').setInputFiles({
      name: 'circuit.vk',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(GNARK.key.compressed, 'hex'),
    });
    await form.getByRole('button', { name: 'Import the key' }).click();
    await page.getByText('The key of-gnark is imported.').first().waitFor();
    await form.getByText('The key was read in the form gnark-compressed.').waitFor();
    await tab.show('/status');
  });

  it('is told at its field why a verifying key is refused', async () => {
    const { page } = tab;
    await tab.show('/keys');
    const form = region('Import a verifying key');
    const text = form.getByLabel('Key', { exact: true });
    const error = form.locator('.field-error:visible');
    const refuse = async (id: string, key: unknown): Promise<string | null> => {
      await form.getByLabel('Id', { exact: true }).fill(id);
      await text.fill(typeof key === 'string' ? key : JSON.stringify(key));
      await form.getByRole('button', { name: 'Import the key' }).click();
      await tab.settled();
      await error.first().waitFor();
      return (await error.allTextContents()).join(' ');
    };
    expect(await refuse('broken', '')).toBe('Paste the text or choose a file.');
    expect(await refuse('broken', '{ "protocol": ')).toContain('This is not JSON: ');
    expect(await refuse('broken', '[]')).toContain('expected a key as an object');
    const point = await refuse('broken', { ...KEY, vk_alpha_1: ['1', '1', '1'] });
    expect(point).toMatch(/^A point of the verifying key is not on its curve: vk_alpha_1/);
    expect(await focused()).toBe('key');
    await form.getByRole('link', { name: 'About key.point_not_on_curve' }).waitFor();
    await expectNoAxeViolation(page, 'a refused key');
    expect(await refuse('No Id', KEY)).toContain('Must match pattern');
    expect(await focused()).toBe('id');
    const other = { ...KEY, IC: KEY.IC.slice(0, 4), nPublic: 3 };
    expect(await refuse('semaphore-depth30', other)).toContain('is the id of a built-in key');
    expect(await focused()).toBe('id');
    expect(await scene.call<object>('GET', '/vkeys')).not.toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: 'broken' })]),
    });
  });

  it('imports signups, looks one up by its identity commitment, and revokes it', async () => {
    const { page } = tab;
    const record = (number: number, changes: object = {}) => ({
      id_comm: `0x${number.toString(16)}`,
      signup_id: `s-${number}`,
      orb_id: '0c1d2e3f',
      enrolled_at: '2024-01-01T00:00:00Z',
      ...changes,
    });
    await tab.show('/signups');
    const form = region('Import records');
    const send = form.getByRole('button', { name: 'Import the records' });
    const error = form.locator('.field-error:visible');
    await form.getByLabel('Records', { exact: true }).fill(`${JSON.stringify(record(1))}\n{"id_comm":`);
    await send.click();
    expect(await error.textContent()).toMatch(/^Line 2 is not JSON\./);
    await form.getByLabel('Records', { exact: true }).fill(JSON.stringify([record(1), { id_comm: 'x' }]));
    await send.click();
    await expect.poll(() => error.textContent()).toContain('Nothing was imported.');
    expect(await error.textContent()).toMatch(/^Record 2, signup_id: is required\.\n/);

    const records = Array.from({ length: 600 }, (_, index) => record(index + 1001));
    const lines = [...records, record(1700, { signup_id: 's-1001' })]
      .map((one) => JSON.stringify(one))
      .join('\n');
    await form.getByLabel('Records', { exact: true }).fill('');
    await form.getByLabel('Or a file with it').setInputFiles({
      name: 'signups.jsonl',
      mimeType: 'application/json',
      buffer: Buffer.from(lines),
    });
    await send.click();
    await form.getByText('600 added · 0 updated · 0 unchanged · 1 refused').waitFor();
    expect(await form.locator('tbody tr').textContent()).toContain('601');
    await expect.poll(() => region('Enrolment records').locator('tbody tr').count()).toBe(20);

    const look = region('Look up a signup');
    await look.getByLabel('Identity commitment').fill('0xffff');
    await look.getByLabel('Identity commitment').press('Enter');
    await look
      .getByText(/no (enrolment )?record/i)
      .first()
      .waitFor();
    await look.getByLabel('Identity commitment').fill('0x3FF');
    await look.getByLabel('Identity commitment').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Signup s-1023' }).waitFor();
    await tab.settled();
    expect(await region('Record').textContent()).toContain(`0x${'3ff'.padStart(64, '0')}`);
    await expectNoAxeViolation(page, 'a signup');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The signup s-1023 is revoked.').first().waitFor();
    await expect.poll(() => region('Record').textContent()).toContain('no more credentials are issued');
    expect(await scene.call('GET', '/signups/0x3ff')).toMatchObject({ status: 'revoked' });
  });

  it('imports the key of an orb, finds it by the orb, and revokes it', async () => {
    const { page } = tab;
    const { pem, hash } = orbPem(1);
    await tab.show('/signups');
    const look = region('Keys of an orb');
    await look.getByLabel('Orb').fill('orb-9');
    await look.getByLabel('Orb').press('Enter');
    await look.getByText('No key of orb orb-9 is known.').waitFor();
    const form = region('Import keys of orbs');
    await form.getByLabel('Records', { exact: true }).fill(
      JSON.stringify([
        { orb_id: 'orb-9', keys: [pem] },
        { orb_id: 'orb-9', keys: ['no key'] },
      ]),
    );
    await form.getByRole('button', { name: 'Import the keys' }).click();
    await form.getByText('1 added · 0 updated · 0 unchanged · 1 refused').waitFor();
    await look.getByText('PEM', { exact: true }).click();
    expect(await look.locator('pre').textContent()).toContain('BEGIN PUBLIC KEY');
    await look.getByRole('button', { name: `Revoke key ${hash}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key of orb orb-9 is revoked.').first().waitFor();
    await expect.poll(() => look.locator('tbody tr').textContent()).toContain('revoked');
  });

  it('sees what all apps did by day and by app, and chooses the time and the environment', async () => {
    const { page } = tab;
    await tab.show('/usage');
    const all = region('All apps');
    await expect.poll(() => all.locator('rect.bar-0').count()).toBe(30);
    await all.getByText('By day', { exact: true }).click();
    expect(await all.locator('tbody tr').count()).toBe(30);
    const month = await all.getByRole('listitem').first().textContent();
    await page.getByLabel('Period').selectOption('last 7 days');
    await expect.poll(() => all.locator('rect.bar-0').count()).toBe(7);
    expect(await all.getByRole('listitem').first().textContent()).not.toBe(month);
    const row = region('By app').locator('tbody tr');
    await tab.settled();
    expect(await row.count()).toBe(1);
    const { items } = await scene.call<{ readonly items: readonly { readonly verified_new: number }[] }>(
      ...(['GET', `/apps/${LOAD_APP}/usage?days=7`] as const),
    );
    const people = items.reduce((sum, day) => sum + day.verified_new, 0);
    expect(await row.textContent()).toContain(people.toLocaleString('en'));
    await page.getByLabel('Environment').selectOption('staging');
    await all.getByText('No requests in this time.').waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/usage?days=7&environment=staging');
    await row.getByRole('link').waitFor({ state: 'detached' });
  });

  it('is shown every wrong field of an app at that field, and registers it under ids of its own', async () => {
    const { page } = tab;
    await tab.show('/apps/new');
    await page.getByLabel('Name', { exact: true }).fill('Own ids');
    await page.getByLabel('Redirect URIs').fill('http://shop.example/cb\nshop');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('app_id', { exact: true }).fill('shop');
    await page.getByLabel('rp_id', { exact: true }).fill('rp_1');
    await page.getByRole('checkbox', { name: 'code', exact: true }).uncheck();
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Register' }).click();
    const errors = page.locator('#main .field-error:visible');
    await expect.poll(() => errors.count()).toBe(4);
    const texts = await errors.allTextContents();
    expect(texts[0]).toMatch(/"http:\/\/shop\.example\/cb" .*\n"shop" is not absolute/);
    expect(texts.slice(1)).toEqual([
      'Expected app_ or app_staging_ and 32 lower-case hex digits, got "shop".',
      'Expected rp_ and 16 hex digits, got "rp_1".',
      expect.stringContaining('Expected one or more of'),
    ]);
    await page.getByText('Correct the 4 marked fields.').waitFor();
    expect(await focused()).toBe('redirect_uris');
    await expectNoAxeViolation(page, 'a refused app');

    const appId = `app_staging_${'ab'.repeat(16)}`;
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb');
    await page.getByLabel('app_id', { exact: true }).fill(appId);
    await page.getByLabel('rp_id', { exact: true }).fill(`rp_${'ab'.repeat(8)}`);
    await page.getByRole('checkbox', { name: 'code', exact: true }).check();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Own ids' }).waitFor();
    await tab.settled();
    expect(await region('Overview').textContent()).toContain(`${appId}rp_id`);

    await page.getByText('More', { exact: true }).click();
    const { rp_id: taken } = await scene.call<{ readonly rp_id: string }>('GET', `/apps/${LOAD_APP}`);
    await page.getByLabel('rp_id', { exact: true }).fill(taken);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => errors.allTextContents()).toEqual([`Another app has the rp_id ${taken}.`]);
  });
});
