import { describe, expect, it } from 'vitest';
import { createApp } from '../../src/apps/apps.ts';
import { BROWSER_TEST } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { openWallet } from '../support/browser/wallet-driver.ts';
import { gate } from '../support/gate.ts';
import { isWalletAbsent, useWalletService, WALLET_SKIP } from '../support/wallet-service.ts';

describe.skipIf(isWalletAbsent)(`actions proved in the wallet page${WALLET_SKIP}`, BROWSER_TEST, () => {
  const service = useWalletService();

  it('a new person is accepted once per action, and each action and person has its own nullifier', async () => {
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    const { page, prove } = wallet;
    await expectAccessibleLayout(page, 'no-identity');
    await wallet.create('Alice');
    await wallet.identities.getByText('not enrolled').nth(1).waitFor();
    await expectAccessibleLayout(page, 'identity-created');
    await wallet.enrol('Orb');
    await wallet.identities.getByText('enrolled, place 1').waitFor();
    await expectAccessibleLayout(page, 'enrolled');

    const first = await wallet.proveAction({ action: 'vote' });
    expect(first.status).toBe('Accepted: a new person for this action.');
    expect(first.nullifier).toMatch(/^0x[0-9a-f]{64}$/);
    await prove.getByText('Answer as it came').click();
    await expectAccessibleLayout(page, 'action-accepted');
    const shown = await prove.locator('details:has-text("Answer as it came") pre').textContent();
    const raw = JSON.parse(shown ?? '') as Record<string, unknown>;
    expect(raw).toMatchObject({
      success: true,
      action: 'vote',
      environment: 'staging',
      nullifier: first.nullifier,
      created_at: first.firstProved,
      results: [{ identifier: 'orb', success: true }],
    });

    const again = await wallet.proveAction({ action: 'vote' });
    expect(again).toEqual({ ...first, status: 'Accepted: this person has proved this action before.' });
    await expectAccessibleLayout(page, 'action-reuse');

    const other = await wallet.proveAction({ action: 'another vote' });
    expect(other.status).toBe('Accepted: a new person for this action.');
    expect(other.nullifier).not.toBe(first.nullifier);

    await wallet.create('Bob');
    await wallet.enrol('Orb');
    await wallet.identities.getByText('enrolled, place 2').waitFor();
    await expectAccessibleLayout(page, 'two-identities');
    const second = await wallet.proveAction({ action: 'vote' });
    expect(second.status).toBe('Accepted: a new person for this action.');
    expect(new Set([first.nullifier, other.nullifier, second.nullifier]).size).toBe(3);

    await wallet.identities.getByRole('radio', { name: 'Alice' }).check();
    expect((await wallet.proveAction({ action: 'vote' })).nullifier).toBe(first.nullifier);
    await wallet.end();
  });

  it('an identity from a secret text has the commitment and the nullifier of the vectors, also after a reload', async () => {
    // spec/verification.md#identity-from-a-secret
    const appId = 'app_369183bd38f1641b6964ab51d7a20434';
    const commitment = '0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78';
    const store = await service.app.openStore();
    await createApp(store.apps, { appId }, Date.now());
    await store.close();
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    await wallet.create('Vector', 'proofgate');
    await wallet.page.reload();
    await wallet.identities.getByText(commitment).waitFor();
    await wallet.enrol('Device');
    const input = { action: 'test-action', signal: 'any signal', tree: 'Device', appId } as const;
    expect(await wallet.proveAction(input)).toMatchObject({
      status: 'Accepted: a new person for this action.',
      nullifier: '0x0b1609143eeb85c2a83f0b2f9d58eb6a3914b3cfc937d647ed6a38ce96fc8c32',
    });
    await wallet.expectClean();
    expect(wallet.requests.filter(({ url, body }) => `${url}${body}`.includes('any signal'))).toEqual([]);
    await wallet.close();
  });

  it('a refusal is shown with its code and detail', async () => {
    const is400 = (fault: string): boolean => fault.includes('400') && fault.includes('/api/v4/verify/');
    const wallet = await openWallet(service.browser, service.app.publicUrl, '', is400);
    await wallet.create('Carol');
    await wallet.enrol('Orb');
    const verdict = await wallet.proveAction({ action: 'vote', appId: `app_${'0'.repeat(32)}` });
    expect(verdict).toMatchObject({ status: 'The proof was refused.', nullifier: undefined });
    await wallet.prove.getByText('app_not_migrated: This rp_id or app_id is unknown here').first().waitFor();
    await expectAccessibleLayout(wallet.page, 'action-refused');
    await wallet.end();
  });

  it('nothing is proved without an identity or outside its trees, and the page says why', async () => {
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    await wallet.startProof({ action: 'vote' });
    await wallet.prove.getByText('There is no identity to prove as. Create one first.').nth(1).waitFor();
    await wallet.create('Dora');
    await wallet.startProof({ action: 'vote' });
    await wallet.prove.getByText('“Dora” is not enrolled in Orb. Enrol it above, then prove.').waitFor();
    await expectAccessibleLayout(wallet.page, 'action-not-enrolled');
    await wallet.end();
  });

  it('an app that a person names before the list of apps is there stays the chosen one', async () => {
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    const { page, prove } = wallet;
    const named = gate<void>();
    await page.route('**/wallet/api/apps', async (route) => {
      await named.promise;
      await route.continue();
    });
    await page.reload();
    const other = `app_${'0'.repeat(32)}`;
    await prove.getByLabel('App id').fill(other);
    named.open();
    const apps = prove.getByLabel('App', { exact: true });
    await apps.locator('option').nth(1).waitFor({ state: 'attached' });
    expect(await apps.inputValue()).toBe('');
    expect(await prove.getByLabel('App id').isVisible()).toBe(true);
    expect(await prove.getByLabel('App id').inputValue()).toBe(other);
    await wallet.close();
  });
});
