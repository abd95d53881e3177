/** What an operator sees and does in the view Webhooks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { pollUntil } from '../support/until.ts';
import { type Receiver, startReceiver } from '../webhooks/support/receiver.ts';
import {
  type DashboardScene,
  type DashboardTab,
  expectNoAxeViolation,
  startDashboard,
} from './support/dashboard.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const STALE = { type: 'root_source.stale', data: { source: 'orb', lag_seconds: 900 } } as const;
const GONE = 410;

/** Expects no violation and a layout that fits, on a wide screen in the light theme and a narrow one in the dark one. */
async function expectAccessible({ page }: DashboardTab, name: string): Promise<void> {
  for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 400] as const]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await expectNoAxeViolation(page, `${name} in ${colorScheme} at ${width} px`);
  }
  await expectAccessibleLayout(page, `dashboard-${name}`);
}

describe.skipIf(!isChromiumPresent)(`the view of webhooks${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let receiver: Receiver;
  let scene: DashboardScene;
  let tab: DashboardTab;
  beforeAll(async () => {
    receiver = await startReceiver();
    scene = await startDashboard({
      settings: { 'webhooks.url': receiver.url, 'webhooks.secret': SECRET },
    });
    await pollUntil(async () => (await pendingEvents()) === 0);
    receiver.answer(GONE);
    await scene.service.store.outbox.add(STALE, Date.now());
    await pollUntil(async () => (await pendingEvents()) === 0);
    tab = await scene.open();
  });
  afterAll(async () => {
    await scene?.end();
    await receiver?.close();
  });

  const pendingEvents = async (): Promise<number> =>
    (await scene.service.store.outbox.counts(Date.now())).pending;
  const idsOf = (type: string): unknown[] =>
    receiver.received.filter(({ body }) => body.includes(type)).map(({ headers }) => headers['webhook-id']);

  it('has dead letters with their reason, which the status tells of, accessibly', async () => {
    const { page } = tab;
    await tab.show('/status');
    await page.getByText('did not get 1 event, which will not be sent again').waitFor();
    await tab.show('/webhooks');
    await page
      .getByRole('article', { name: /^Receiver http:/ })
      .getByText('failing')
      .waitFor();
    const row = page.getByRole('row').filter({ hasText: STALE.type });
    expect(await row.textContent()).toMatch(/dead.*the receiver answered 410.*1 attempt.*source.*orb/);
    expect(await page.locator('#main').textContent()).not.toContain('from=proofgate');
    await expectAccessible(tab, 'webhooks');
    await page.getByLabel('State').selectOption('pending');
    await page.getByText('No event is in this state.').waitFor();
    await page.getByLabel('State').selectOption('dead');
    await row.waitFor();
  });

  it('sends a test event and says what came of it', async () => {
    const { page } = tab;
    const send = page.getByRole('button', { name: 'Send a test event' });
    await send.press('Enter');
    await page.getByText('The test event was received; the receiver answered 204.').first().waitFor();
    receiver.answer(500);
    await send.press('Enter');
    await page.getByText('was not received: the receiver answered 500.').first().waitFor();
    expect(idsOf('webhook.test')).toHaveLength(2);
  });

  it('sends a dead letter again by keyboard, which the receiver then gets', async () => {
    const { page } = tab;
    const [id] = idsOf(STALE.type);
    await page.getByRole('button', { name: `Send again: ${STALE.type}, ${id}` }).press('Enter');
    await page.getByText('is due now; a node sends it within seconds.').first().waitFor();
    await expect.poll(() => idsOf(STALE.type)).toEqual([id, id]);
    await expect.poll(() => pendingEvents()).toBe(0);
    await page.getByLabel('State').selectOption('delivered');
    await page.getByRole('row').filter({ hasText: STALE.type }).getByText('received').waitFor();
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
    await tab.show('/audit?action=webhook.resent');
    expect(
      await page
        .getByRole('row')
        .filter({ hasText: String(id) })
        .textContent(),
    ).toContain('api:config');
  });

  it('changes nothing with a token of scope read', async () => {
    const { token } = await scene.call<{ readonly token: string }>('POST', '/tokens', {
      name: 'a look',
      scope: 'read',
    });
    const reader = await scene.open(token);
    await reader.show('/webhooks');
    expect(await reader.page.getByRole('button', { name: 'Send a test event' }).isDisabled()).toBe(true);
    await reader.page.getByText('Your token may only read. A token of scope write').waitFor();
    reader.expectClean();
  });

  it('says how to switch webhooks on while they are off, accessibly', async () => {
    // Its webhooks are off.
    const off = await startDashboard();
    const other = await off.open();
    await other.show('/webhooks');
    const main = other.page.locator('#main');
    await main.getByText('Webhooks are off.').waitFor();
    for (const text of ['webhooks.url', 'PROOFGATE_WEBHOOKS_SECRET_FILE', 'proofgate webhooks test']) {
      expect(await main.textContent()).toContain(text);
    }
    await expectAccessible(other, 'webhooks-off');
    other.expectClean();
    await off.end();
  });

  it('without an error, a violation of its policy or a request to a third party', () => tab.expectClean());
});
