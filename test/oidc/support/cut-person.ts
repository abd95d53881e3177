import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { CutNetwork } from '../../support/browser/cut-network.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import type { SigninService } from '../../support/signin/service.ts';
import { approve, decline } from '../../support/test-wallet.ts';
import type { Next } from './cut-cases.ts';

/** Address of the app on a phone. */
export const PHONE_URI = 'com.example.shop:/cb';

/** What the person has to do with. */
export interface Surroundings {
  readonly network: CutNetwork;
  readonly service: SigninService;
  readonly browser: Browser;
  /** Parameters that the app got, in order. */
  readonly received: readonly Readonly<Record<string, string>>[];
}

/** The person, with the tab that is in front. */
export class Person {
  page: Page;
  /** Whether the person was back at the app and pressed its link again. */
  beganAnew = false;
  /** Links to the wallet that were followed to a proof. */
  readonly #proven = new Set<string>();
  readonly #state: string;
  readonly #client: TestClient;
  readonly #around: Surroundings;
  readonly #since: number;
  readonly #codes = new Set<string>();

  /** @param request - State and client of the request. */
  constructor(
    page: Page,
    request: { readonly state: string; readonly client: TestClient },
    around: Surroundings,
  ) {
    this.page = page;
    this.#state = request.state;
    this.#client = request.client;
    this.#around = around;
    this.#since = around.network.seen.length;
  }

  /** Presses a link, and does not wait for where it leads. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('link', { name }).click({ noWaitAfter: true });
  }

  get #link(): Locator {
    return this.page.locator('#wallet-link:visible');
  }

  /** Proves with the wallet, unless that was done for the request on the page. */
  async prove(): Promise<void> {
    const link = await this.#link.getAttribute('href', { timeout: 5000 }).catch(() => null);
    // The page may have gone on since it was looked at.
    if (link === null || this.#proven.has(link)) return;
    await approve(link);
    this.#proven.add(link);
  }

  /** Declines in the wallet. */
  async decline(): Promise<void> {
    await decline((await this.#link.getAttribute('href')) ?? '');
  }

  /** Has the page poll at once, as a browser does when the network is there again. */
  async hurry(): Promise<void> {
    await this.page.evaluate("dispatchEvent(new Event('online'))").catch(() => undefined);
  }

  async does(next: Next): Promise<void> {
    if (next === 'waits') await this.hurry();
    if (next === 'reloads') await this.#reload();
    if (next === 'goes back') await this.#goBack();
    if (next === 'opens another tab') {
      this.page = await this.page.context().newPage();
      await this.page.goto(this.#address() ?? '');
    }
    if (next === 'takes another device') {
      await this.#expectNothingElsewhere();
      await this.#reload();
    }
  }

  /** Expects that the person gets to the app, which gets one good code of each proof. Returns the number of proofs. */
  async expectArrival(): Promise<number> {
    const { page } = this;
    const isPhone = !this.#client.redirectUri.startsWith('http');
    if (isPhone && /^chrome-error:|\/continue$/.test(page.url())) await this.#goBack();
    const arrived = page.getByRole('heading', { name: 'The app' });
    const start = page.getByRole('link', { name: 'Sign in' });
    const tap = page.locator('a[href$="/continue"]:visible');
    const link = this.#link;
    await arrived.or(start).or(tap).or(link).first().waitFor();
    if (await start.isVisible()) {
      this.beganAnew = true;
      await start.click();
    }
    await arrived.or(tap).or(link).first().waitFor();
    if (await link.isVisible()) {
      await this.prove();
      await this.hurry();
    }
    if (isPhone) await this.tap();
    else {
      await arrived.waitFor();
      const { search, hash } = new URL(page.url());
      this.#take(new URLSearchParams(hash.slice(1) || search));
    }
    for (const parameters of this.#around.received) this.#take(new URLSearchParams(parameters));
    expect(this.#codes.size).toBeGreaterThan(0);
    const statuses = [];
    for (const code of this.#codes) {
      statuses.push((await redeemCode(this.#around.service.baseUrl, this.#client, code)).status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(this.#codes.size).toBeLessThanOrEqual(this.#proven.size);
    return this.#proven.size;
  }

  /**
   * Taps on "Continue", by script: headless Chromium swallows the pointer while it would ask whether to open an app.
   *
   * @returns Code with which the app on the phone was opened.
   */
  async tap(): Promise<string> {
    const tap = this.page.locator('a[href$="/continue"]:visible');
    await tap.waitFor();
    const before = this.#entries().length;
    await tap.evaluate((link) => (link as unknown as { click(): void }).click());
    await expect.poll(() => this.#entries().length, { timeout: 60_000 }).toBeGreaterThan(before);
    for (const address of this.#entries()) this.#take(new URL(address).searchParams);
    return new URL(this.#entries().at(-1) ?? '').searchParams.get('code') ?? '';
  }

  /** Addresses by which the app was opened in this sign-in. */
  #entries(): string[] {
    const locations = this.#around.network.seen.map(({ location = '' }) => location);
    return locations.slice(this.#since).filter((address) => address.startsWith(PHONE_URI));
  }

  #take(parameters: URLSearchParams): void {
    const code = parameters.get('code');
    if (code !== null && parameters.get('state') === this.#state) this.#codes.add(code);
  }

  /** Address of the page of the sign-in, if it was begun. */
  #address(): string | undefined {
    const locations = this.#around.network.seen.slice(this.#since).map(({ location = '' }) => location);
    return locations.findLast((address) => /\/authorize\/[\w-]{43}$/.test(address));
  }

  async #reload(): Promise<void> {
    // The page may be about to be replaced by that of an error; opening an app ends a reload.
    let isDone = false;
    while (!isDone) isDone = await tolerated(() => this.page.reload());
  }

  async #goBack(): Promise<void> {
    const before = this.page.url();
    const isGone = (): Promise<void> =>
      this.page.waitForURL((url) => url.href !== before, { timeout: 10_000 });
    // Opening an app may end it, or only end the wait for it.
    while (this.page.url() === before) {
      await tolerated(() => this.page.goBack());
      await isGone().catch(() => undefined);
    }
  }

  /** Expects that another device learns nothing, and is told why. */
  async #expectNothingElsewhere(): Promise<void> {
    const address = this.#address() ?? '';
    const other = await this.#around.browser.newContext();
    const page = await other.newPage();
    for (const place of [address, `${address}/continue`]) {
      expect((await page.goto(place))?.status()).toBe(403);
      await page.getByText('Your browser is not part of this sign-in, or the sign-in is over.').waitFor();
      await page.getByText('on another device').waitFor();
    }
    await other.close();
  }
}

/** @returns False if the page was not there. Another navigation, also one to an app, may end this one. */
async function tolerated(load: () => Promise<unknown>): Promise<boolean> {
  try {
    await load();
    return true;
  } catch (error) {
    if (/Not attached/.test(String(error))) return false;
    if (/ERR_ABORTED|interrupted/.test(String(error))) return true;
    throw error;
  }
}
