/** Drives the wallet page in Chromium. */
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { numberOf } from '../../../src/semaphore/words.ts';
import { openWatchedPage, type WatchedPage } from './browser.ts';

/** Text that the page shows for an accepted proof. */
export interface ShownVerdict {
  readonly status: string;
  readonly nullifier: string | undefined;
  readonly firstProved: string | undefined;
}

/** Input of the proof form. */
export interface ActionInput {
  readonly action: string;
  readonly signal?: string;
  readonly tree?: 'Orb' | 'Device';
  /** App id to type; if absent, the first app of the list is used. */
  readonly appId?: string;
}

/** The wallet page and the actions of a person on it. */
export interface WalletDriver extends WatchedPage {
  readonly signIn: Locator;
  readonly identities: Locator;
  readonly prove: Locator;
  /** Creates an identity, from a secret text if one is given. */
  create(label: string, secret?: string): Promise<void>;
  enrol(tree: 'Orb' | 'Device'): Promise<void>;
  /** Fills the form and sends it. */
  startProof(input: ActionInput): Promise<void>;
  /** Sends the form and waits for the verdict. */
  proveAction(input: ActionInput): Promise<ShownVerdict>;
  /** Opens a sign-in link in the form of the page. */
  openLink(link: string): Promise<void>;
  /** Presses a button of a sign-in, and waits for the heading that follows. */
  answer(button: string, heading: string): Promise<void>;
  /** Expects no faults, requests only to the service, and no secret of this browser in any request. */
  expectClean(): Promise<void>;
  /** Closes the page after `expectClean`. */
  end(): Promise<void>;
}

// A commitment that is in no tree is a 404 (spec/sign-in.md#development-wallet), which Chromium reports on
// its console.
const isLookUp = (fault: string): boolean =>
  fault.includes('404') && fault.includes('/wallet/api/inclusion-proof');

/**
 * Opens the wallet page in a new browser profile.
 *
 * @param suffix - Appended to `/wallet`, such as the fragment of a connect link.
 * @param isExpected - Picks out further console errors that belong to the test.
 */
export async function openWallet(
  browser: Browser,
  publicUrl: string,
  suffix = '',
  isExpected: (fault: string) => boolean = () => false,
): Promise<WalletDriver> {
  const watched = await openWatchedPage(browser, (fault) => isLookUp(fault) || isExpected(fault));
  const { page } = watched;
  await page.goto(`${publicUrl}/wallet${suffix}`);
  await page.getByRole('heading', { name: 'Development wallet' }).waitFor();
  const identities = page.locator('section[aria-labelledby="identities"]');
  const prove = page.locator('section[aria-labelledby="prove"]');
  const signIn = page.locator('section[aria-labelledby="sign-in"]');
  const startProof = async ({ action, signal = '', tree = 'Orb', appId }: ActionInput): Promise<void> => {
    const apps = prove.getByLabel('App', { exact: true });
    // until the list is loaded, the form asks for an app id
    if (appId === undefined) await apps.locator('option').nth(1).waitFor({ state: 'attached' });
    else {
      await apps.selectOption('Another app…');
      await prove.getByLabel('App id').fill(appId);
    }
    await prove.getByRole('textbox', { name: 'Action' }).fill(action);
    await prove.getByRole('textbox', { name: 'Signal' }).fill(signal);
    await prove.getByRole('radio', { name: tree }).check();
    await prove.getByRole('button', { name: 'Prove and verify' }).click();
  };
  const expectClean = async (): Promise<void> => {
    expect(watched.faults).toEqual([]);
    const hosts = new Set(watched.requests.map(({ url }) => new URL(url).origin));
    expect([...hosts]).toEqual([new URL(publicUrl).origin]);
    const secrets = await storedSecrets(page);
    const seen = watched.requests.map(({ url, body }) => `${decodeURIComponent(url)} ${body}`.toLowerCase());
    for (const secret of secrets) expect(seen.filter((text) => text.includes(secret))).toEqual([]);
  };
  return {
    ...watched,
    signIn,
    identities,
    prove,
    async create(label, secret) {
      const form = identities.locator('details');
      if ((await form.getAttribute('open')) === null) await form.locator('summary').click();
      await identities.getByLabel('Label').fill(label);
      if (secret !== undefined) {
        await identities.getByRole('radio', { name: 'From a secret text' }).check();
        await identities.getByLabel('Secret text', { exact: true }).fill(secret);
      }
      await identities.getByRole('button', { name: 'Create identity' }).click();
      await identities.getByText(`“${label}” is created and in use.`).waitFor();
    },
    async enrol(tree) {
      await identities.getByRole('button', { name: `Enrol in ${tree}` }).click();
      await identities.getByText(`Enrolled in ${tree}`).waitFor();
    },
    startProof,
    async proveAction(input) {
      await startProof(input);
      const fact = (name: string): Locator => prove.locator(`dt:text-is("${name}") + dd`);
      await fact('Status').waitFor();
      const optional = async (name: string): Promise<string | undefined> =>
        (await fact(name).count()) === 0 ? undefined : ((await fact(name).textContent()) ?? '');
      return {
        status: (await prove.locator('.status').textContent()) ?? '',
        nullifier: await optional('Nullifier'),
        firstProved: await optional('First proved'),
      };
    },
    async openLink(link) {
      await signIn.getByLabel('Sign-in link').fill(link);
      await signIn.getByRole('button', { name: 'Open request' }).click();
    },
    async answer(button, heading) {
      await signIn.getByRole('button', { name: button }).click();
      await signIn.getByRole('heading', { name: heading }).waitFor();
    },
    expectClean,
    async end() {
      await expectClean();
      await watched.close();
    },
  };
}

/** Trapdoors and nullifiers of this browser, in hex and decimal. */
async function storedSecrets(page: Page): Promise<string[]> {
  const text = (await page.evaluate("localStorage.getItem('proofgate.wallet')")) as string | null;
  const { identities } = JSON.parse(text ?? '{"identities":[]}') as {
    readonly identities: readonly { readonly trapdoor: string; readonly nullifier: string }[];
  };
  return identities.flatMap(({ trapdoor, nullifier }) =>
    [trapdoor, nullifier].flatMap((hex) => [
      hex.slice(2).replace(/^0+/, ''),
      String(numberOf(Buffer.from(hex.slice(2), 'hex'))),
    ]),
  );
}
