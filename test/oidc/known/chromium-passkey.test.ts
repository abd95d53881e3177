import { decodeJwt } from 'jose';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type AppPage, startAppPage } from '../../support/browser/app-page.ts';
import { openChromium } from '../../support/browser/browser.ts';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { expectAccessibleLayout, takePicture } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import {
  openSignInBrowser,
  type SignInBrowser,
  type SignInTab,
} from '../../support/signin/sign-in-page-driver.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { type KnownService, startKnownService } from './support/known-service.ts';

interface Scene {
  readonly service: KnownService;
  readonly app: AppPage;
  readonly browser: Browser;
  /** A browser profile of its own. */
  profile(): Promise<SignInBrowser>;
  end(): Promise<void>;
}

async function startScene(): Promise<Scene> {
  const service = await startKnownService();
  const app = await startAppPage();
  const browser = await openChromium();
  return {
    service,
    app,
    browser,
    // A refused passkey is a 400, which Chromium reports.
    profile: () => openSignInBrowser(browser, service, (fault) => fault.includes('400 (Bad Request)')),
    async end() {
      await browser.close();
      await app.end();
      await service.end();
    },
  };
}

/** An authenticator of a page, which asks nobody. */
interface Authenticator {
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Makes the passkeys of one authenticator known to another, as a password manager does between devices. */
async function follow(from: Authenticator, to: Authenticator): Promise<void> {
  const { authenticatorId } = from;
  const { credentials } = await from.cdp.send('WebAuthn.getCredentials', { authenticatorId });
  for (const credential of credentials) {
    await to.cdp.send('WebAuthn.addCredential', { authenticatorId: to.authenticatorId, credential });
  }
}

describeInChromium('a person with a passkey', () => {
  const scene = opened(startScene, 'end');

  const open = (profile: SignInBrowser, client: TestClient): Promise<SignInTab> =>
    profile.open({ client_id: client.clientId, redirect_uri: client.redirectUri });
  const addClient = (name: string): Promise<TestClient> =>
    scene.service.addClient({ name, redirectUris: [scene.app.callback] });
  const answer = async (tab: SignInTab, wallet: Wallet4): Promise<void> => {
    await wallet.answer(await tab.connectUrl(), scene.service.store);
  };
  const subOf = async (tab: SignInTab, client: TestClient): Promise<string> => {
    const { code } = await tab.arrived();
    const response = await redeemCode(scene.service.baseUrl, client, code);
    const { id_token: token } = (await response.json()) as { readonly id_token: string };
    return decodeJwt(token).sub ?? '';
  };
  /** Signs in with the box ticked, and saves a passkey on the recognition page. */
  const save = async (tab: SignInTab, wallet: Wallet4, name: string): Promise<void> => {
    await tab.page.getByRole('checkbox', { name: `Show me how ${name} recognises me` }).check();
    await answer(tab, wallet);
    await tab.page.getByRole('heading', { level: 1, name: `How ${name} recognises you` }).waitFor();
    await tab.page.getByRole('button', { name: 'Save a passkey' }).click();
    await tab.page.locator('[aria-labelledby="passkeys"] li').waitFor();
  };

  it('saves it, is found by it in another browser, and proves there who it is', async () => {
    const client = await addClient('Demo Shop');
    const first = await scene.profile();
    const wallet = new Wallet4({ person: 'ann' });
    const tab = await open(first, client);
    const authenticator = await addAuthenticator(tab.page);
    await save(tab, wallet, 'Demo Shop');
    await expectAccessibleLayout(tab.page, 'known');
    const [credential] = (await authenticator.cdp.send('WebAuthn.getCredentials', authenticator)).credentials;
    expect(credential).toMatchObject({ rpId: 'localhost', isResidentCredential: true });
    await tab.page.getByRole('link', { name: 'Continue' }).click();
    const sub = await subOf(tab, client);

    const second = await scene.profile();
    const other = await open(second, client);
    await follow(authenticator, await addAuthenticator(other.page));
    await expectAccessibleLayout(other.page, 'passkey');
    await other.page.getByRole('button', { name: 'I have a passkey' }).click();
    await other.page.getByText('Your passkey is known here').waitFor();
    await takePicture(other.page, 'passkey-known');
    await answer(other, wallet);
    expect(await subOf(other, client)).toBe(sub);
    first.expectClean(scene.app.origin);
    second.expectClean(scene.app.origin);
    await first.close();
    await second.close();
  });

  it('learns without it what helps, when the wallet does not prove again', async () => {
    const client = await addClient('Demo Shop');
    const wallet = new Wallet4({ person: 'bob' });
    const first = await scene.profile();
    const tab = await open(first, client);
    await answer(tab, wallet);
    const sub = await subOf(tab, client);
    const later = wallet.installAnew({ now: () => Date.now() + 3_600_000 });
    for (const [nullifier, at] of wallet.proven) later.proven.set(nullifier, at);

    const second = await scene.profile();
    const other = await open(second, client);
    await addAuthenticator(other.page);
    await answer(other, later);
    await other.page.getByText('Your wallet has proved this before and does not do it again.').waitFor();
    await expectAccessibleLayout(other.page, 'lost');
    await other.page.getByRole('button', { name: 'I have a passkey' }).click();
    await other.page.getByText('No passkey was used. You can try again.').waitFor();
    // the browser where the person was before
    const again = await open(first, client);
    await expectAccessibleLayout(again.page, 'known-browser');
    await answer(again, later);
    expect(await subOf(again, client)).toBe(sub);
    first.expectClean(scene.app.origin);
    second.expectClean();
    await first.close();
    await second.close();
  });

  it('deletes it by a button that is unfolded first', async () => {
    const profile = await scene.profile();
    const tab = await open(profile, await addClient('Demo Shop'));
    await addAuthenticator(tab.page);
    await save(tab, new Wallet4({ person: 'dan' }), 'Demo Shop');
    const passkeys = tab.page.locator('[aria-labelledby="passkeys"]');
    await passkeys.locator('summary').click();
    await takePicture(tab.page, 'known-unfolded');
    await passkeys.getByRole('button', { name: 'Delete' }).click();
    await passkeys.getByText('There is none.').waitFor();
    await tab.page.getByRole('link', { name: 'Continue' }).click();
    expect(await tab.arrived()).toHaveProperty('code');
    profile.expectClean(scene.app.origin);
    await profile.close();
  });

  it('of another app is told that it is not known', async () => {
    const profile = await scene.profile();
    const tab = await open(profile, await addClient('Other Shop'));
    const authenticator = await addAuthenticator(tab.page);
    await save(tab, new Wallet4({ person: 'cat' }), 'Other Shop');
    const other = await open(profile, await addClient('Demo Shop'));
    await follow(authenticator, await addAuthenticator(other.page));
    await other.page.getByRole('button', { name: 'I have a passkey' }).click();
    await other.page.getByText('This passkey was not accepted.').waitFor();
    expect(await other.status.textContent()).toBe('Waiting for your wallet.');
    profile.expectClean();
    await profile.close();
  });
});
