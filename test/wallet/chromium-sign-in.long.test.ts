import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { externalNullifier } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { makeCliFolder } from '../cli/support/cli.ts';
import { BROWSER_TEST } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { openWallet } from '../support/browser/wallet-driver.ts';
import { RUNS_ALL } from '../support/cases.ts';
import { gate } from '../support/gate.ts';
import { putSignInRequest, signInPlaintext } from '../support/signin/sign-in-request.ts';
import { isWalletAbsent, useWalletService, WALLET_SKIP } from '../support/wallet-service.ts';

const BRIDGE_LIFE_MS = 900_000;
/** Script that records in the page the texts for screen readers while a proof is made. */
const LISTEN = `{
  const words = document.querySelector('section[aria-labelledby="sign-in"] .panel > [aria-live]');
  globalThis.said = [];
  new MutationObserver(() => said.push(words.textContent)).observe(words, { childList: true });
}`;

describe.skipIf(isWalletAbsent)(`sign-ins answered in the wallet page${WALLET_SKIP}`, BROWSER_TEST, () => {
  let now = Date.now();
  const service = useWalletService({ now: () => now });

  /** Returns the verdict of the engine on an answer to the request of `signInPlaintext`. */
  async function verdictOf(answer: Readonly<Record<string, string>> | undefined): Promise<string> {
    const { app_id, signal } = signInPlaintext();
    const inputs = {
      merkle_root: answer?.merkle_root,
      nullifier_hash: answer?.nullifier_hash,
      signal_hash: signal,
      external_nullifier_hash: toHex(externalNullifier(String(app_id))),
    };
    const folder = await makeCliFolder();
    try {
      const stdin = JSON.stringify([{ ...inputs, proof: answer?.proof }]);
      const { stdout } = await folder.run(['proof', 'verify', '-', '--key', 'dev-depth30'], { stdin });
      return stdout.trim();
    } finally {
      await folder.remove();
    }
  }

  it('an approved request is answered with a proof that is valid for this app and this signal', async () => {
    const request = await putSignInRequest(service.app.publicUrl);
    const wallet = await openWallet(service.browser, service.app.publicUrl);
    await wallet.create('Alice');
    await wallet.enrol('Orb');
    const opening = await holdBack(wallet.page, '**/bridge/request/*');
    await wallet.page.goto(`${service.app.publicUrl}/wallet#${request.members}`);
    await wallet.signIn.getByText('Fetching the request from the bridge…').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-opening');
    opening.release();
    await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
    await wallet.signIn.getByText('Sign in to Demo Shop (shop.example)').waitFor();
    await wallet.signIn.getByText('app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614').waitFor();
    await wallet.signIn.getByText('Orb or Device', { exact: true }).waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-confirm');
    expect((await request.take()).status).toBe('retrieved');
    const sending = await holdBack(wallet.page, '**/bridge/response/*');
    await wallet.page.evaluate(LISTEN);
    await wallet.signIn.getByRole('button', { name: 'Approve' }).click();
    await wallet.signIn.getByText('Sending the answer').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-sending');
    const said = (await wallet.page.evaluate('said')) as string[];
    const steps = [1, 2, 3, 4, 5].map((step) => `Proving: step ${step} of 5`);
    expect(said.filter((text) => text.startsWith('Proving: step'))).toEqual(steps);
    sending.release();
    await wallet.signIn.getByRole('heading', { name: 'Answer sent' }).waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-sent');

    const { status, answer } = await request.take();
    expect(status).toBe('completed');
    expect(Object.keys(answer ?? {}).sort()).toEqual([
      'merkle_root',
      'nullifier_hash',
      'proof',
      'verification_level',
    ]);
    expect(answer?.verification_level).toBe('orb');
    expect(await verdictOf(answer)).toBe('valid');
    expect(await verdictOf({ ...answer, nullifier_hash: answer?.merkle_root ?? '' })).toBe('false');

    // The key of the link is in no request, and no longer in the address bar.
    const key = request.key.toString('base64');
    const seen = wallet.requests.map(({ url, body }) => `${decodeURIComponent(url)} ${body}`);
    expect(seen.filter((text) => text.includes(key))).toEqual([]);
    expect(wallet.page.url()).toBe(`${service.app.publicUrl}/wallet`);
    await wallet.end();
  });

  if (RUNS_ALL) {
    it('snarkjs accepts the proof in the answer too', async () => {
      const request = await putSignInRequest(service.app.publicUrl);
      const wallet = await openWallet(service.browser, service.app.publicUrl, `#${request.members}`);
      await wallet.signIn.getByRole('button', { name: 'Create an identity' }).click();
      await wallet.signIn.getByText('An identity is created.').waitFor();
      await wallet.signIn.getByRole('button', { name: 'Approve' }).click();
      await wallet.answer('Enrol in Device and go on', 'Answer sent');
      const { answer } = await request.take();
      expect(answer?.verification_level).toBe('device');
      expect(await verdictOf(answer)).toBe('valid');
      const words =
        (answer?.proof ?? '')
          .slice(2)
          .match(/.{64}/g)
          ?.map((word) => String(BigInt(`0x${word}`))) ?? [];
      const [w0 = '', w1 = '', w2 = '', w3 = '', w4 = '', w5 = '', w6 = '', w7 = ''] = words;
      const key = new URL('../../circuits/dev-depth30/verification-key.json', import.meta.url);
      const { app_id, signal } = signInPlaintext();
      const signals = [
        answer?.merkle_root,
        answer?.nullifier_hash,
        String(signal),
        toHex(externalNullifier(String(app_id))),
      ];
      const { groth16 } = await import('snarkjs');
      const isValid = await groth16.verify(
        JSON.parse(await readFile(key, 'utf8')),
        signals.map((word) => String(BigInt(word ?? 0))),
        {
          pi_a: [w0, w1, '1'],
          pi_b: [
            [w3, w2],
            [w5, w4],
            ['1', '0'],
          ],
          pi_c: [w6, w7, '1'],
          protocol: 'groth16',
          curve: 'bn128',
        },
      );
      expect(isValid).toBe(true);
      await wallet.end();
    });
  }

  it('a declined request is answered with verification_rejected', async () => {
    const request = await putSignInRequest(service.app.publicUrl);
    const wallet = await openWallet(service.browser, service.app.publicUrl, `?${request.members}`);
    await wallet.signIn.getByText('There is no identity yet to answer as.').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-no-identity');
    await wallet.answer('Decline', 'Declined');
    await expectAccessibleLayout(wallet.page, 'sign-in-declined');
    expect((await request.take()).answer).toEqual({ error_code: 'verification_rejected' });
    await wallet.answer('Done', 'Sign in to an app');
    await wallet.end();
  });

  if (RUNS_ALL) {
    it('an app that requires the orb gets no device proof: the person may enrol, or answer without a proof', async () => {
      const orb = signInPlaintext({ credential_types: ['orb'], verification_level: 'orb' });
      const wallet = await openWallet(service.browser, service.app.publicUrl);
      await wallet.create('Erin');
      await wallet.enrol('Device');

      const refused = await putSignInRequest(service.app.publicUrl, orb);
      await wallet.page.goto(`${service.app.publicUrl}/wallet#${refused.members}`);
      await wallet.signIn.getByRole('button', { name: 'Approve' }).click();
      await wallet.signIn.getByText('“Erin” must be enrolled in Orb before').waitFor();
      expect(await wallet.signIn.getByRole('button', { name: 'Enrol in Device' }).count()).toBe(0);
      await expectAccessibleLayout(wallet.page, 'sign-in-not-enrolled');
      await wallet.answer('Answer without a proof', 'Answered without a proof');
      expect((await refused.take()).answer).toEqual({ error_code: 'credential_unavailable' });

      const granted = await putSignInRequest(service.app.publicUrl, orb);
      await wallet.page.goto(`${service.app.publicUrl}/wallet#${granted.members}`);
      await wallet.signIn.getByRole('button', { name: 'Approve' }).click();
      await wallet.answer('Enrol in Orb and go on', 'Answer sent');
      const { answer } = await granted.take();
      expect(answer?.verification_level).toBe('orb');
      expect(await verdictOf(answer)).toBe('valid');
      await wallet.end();
    });
  }

  it('a request that expired, was taken or has another key is reported, and the page accepts the next one', async () => {
    const is404 = (fault: string): boolean => fault.includes('404') && fault.includes('/bridge/request/');
    const expired = await putSignInRequest(service.app.publicUrl);
    now += BRIDGE_LIFE_MS;
    const wallet = await openWallet(service.browser, service.app.publicUrl, `#${expired.members}`, is404);
    await wallet.signIn.getByText('it expired, or a wallet has already opened it').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-gone');

    const foreign = await putSignInRequest(service.app.publicUrl);
    const wrongKey = new URLSearchParams(foreign.members);
    wrongKey.set('k', Buffer.alloc(32).toString('base64'));
    await wallet.openLink(`https://world.org/verify?${wrongKey}`);
    await wallet.signIn.getByText('The request could not be decrypted').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-wrong-key');

    await wallet.openLink(`${service.app.publicUrl}/wallet#${foreign.members}`);
    await wallet.signIn.getByText('it expired, or a wallet has already opened it').waitFor();

    const good = await putSignInRequest(service.app.publicUrl);
    await wallet.openLink(`${service.app.publicUrl}/wallet#${good.members}`);
    await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
    await wallet.end();
  });

  it('a link that cannot be used says what is wrong with it', async () => {
    const { members } = await putSignInRequest(service.app.publicUrl);
    const wallet = await openWallet(
      service.browser,
      service.app.publicUrl,
      `#${members.replace(/k=[^&]*/, 'k=AAAA')}`,
    );
    await wallet.signIn
      .getByText('This sign-in link cannot be used: its key k must be 32 bytes in base64.')
      .waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-broken-link');
    await wallet.openLink('https://example.org/');
    await wallet.signIn.getByText('This is not a sign-in link: it has none of its members.').waitFor();
    await wallet.end();
  });

  it('a request that cannot be read is refused, and the app is notified', async () => {
    const request = await putSignInRequest(service.app.publicUrl, signInPlaintext({ signal: 'siwi:abc' }));
    const wallet = await openWallet(service.browser, service.app.publicUrl, `#${request.members}`);
    await wallet.signIn
      .getByText('The app sent a request that cannot be read: signal is not a hash below the field order')
      .waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-malformed');
    expect((await request.take()).answer).toEqual({ error_code: 'malformed_request' });
    await wallet.end();
  });

  it('the description of an app is shown as text, and another bridge with its host', async () => {
    const description = '<img src=x onerror=alert(1)> "Shop" & more';
    const request = await putSignInRequest(
      service.app.publicUrl,
      signInPlaintext({ action_description: description }),
    );
    const other = new URL(service.app.publicUrl);
    other.hostname = 'localhost';
    const members = new URLSearchParams(request.members);
    members.set('b', `${other.origin}/bridge`);
    const wallet = await openWallet(service.browser, service.app.publicUrl, `#${members}`);
    await wallet.signIn.getByText(`The app says: “${description}”`).waitFor();
    expect(await wallet.signIn.locator('img').count()).toBe(0);
    await wallet.signIn.getByText(other.host, { exact: true }).waitFor();
    expect(wallet.faults).toEqual([]);
    await wallet.close();
  });

  it('an answer that is too late is not reported as sent', async () => {
    const is400 = (fault: string): boolean => fault.includes('400') && fault.includes('/bridge/response/');
    const request = await putSignInRequest(service.app.publicUrl);
    const wallet = await openWallet(service.browser, service.app.publicUrl, `#${request.members}`, is400);
    await wallet.signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
    now += BRIDGE_LIFE_MS;
    await wallet.signIn.getByRole('button', { name: 'Decline' }).click();
    await wallet.signIn.getByText('The bridge takes no answer to this request any more').waitFor();
    await expectAccessibleLayout(wallet.page, 'sign-in-too-late');
    await wallet.end();
  });
});

/** Delays requests of a page to these addresses until `release`, so that a transient state stays. */
async function holdBack(page: Page, pattern: string): Promise<{ release(): void }> {
  const { promise, open } = gate<void>();
  await page.route(pattern, async (route) => {
    await promise;
    await route.continue();
  });
  return { release: open };
}
