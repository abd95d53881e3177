/** A person with a browser signs in to an app, and the network is cut at one moment (issue "a step is not over"). */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openChromium } from '../../support/browser/browser.ts';
import { CutNetwork, type Moment } from '../../support/browser/cut-network.ts';
import { freePort } from '../../support/free-port.ts';
import { type LocalServer, serveLocally } from '../../support/server/local-server.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';

/** Requests of a sign-in, by method and path; `status` comes before the wallet's answer, `verdict` takes that answer. */
const STEPS = {
  authorize: /^GET \/authorize\?/,
  page: /^GET \/authorize\/[\w-]{43}$/,
  style: /^GET \/signin\/assets\/sign-in\./,
  script: /^GET \/signin\/assets\/sign-in-page\./,
  status: /^GET \/authorize\/[\w-]{43}\/status$/,
  verdict: /^GET \/authorize\/[\w-]{43}\/status$/,
  continue: /^GET \/authorize\/[\w-]{43}\/continue$/,
  callback: /^(?:GET|POST) \/cb/,
} as const;

/** A request of a sign-in. */
export type Step = keyof typeof STEPS;

/** What the person does once the network carries again; `waits` is nothing. */
export type Next = 'waits' | 'reloads' | 'goes back' | 'opens another tab' | 'takes another device' | 'taps';

/** A sign-in with one cut. */
export interface CutCase {
  readonly step: Step;
  readonly moment: Moment;
  readonly next: Next;
  readonly mode?: 'query' | 'fragment' | 'form_post';
  /** Whether the app is one on a phone with a private scheme. */
  readonly onPhone?: boolean;
  readonly isPushed?: boolean;
  readonly hasScripts?: boolean;
}

/** Steps before the wallet's answer. */
const EARLY: ReadonlySet<Step> = new Set(['authorize', 'page', 'style', 'script', 'status']);

/** Private-scheme address of the app on a phone. */
const PHONE_URI = 'com.example.shop:/cb';

/** A service and an app behind a network that can be cut. */
export interface CutScene {
  readonly service: SigninService;
  readonly network: CutNetwork;
  readonly browser: Browser;
  /** Signs in with one cut; expects that the app gets one good code by one proof. */
  run(given: CutCase): Promise<void>;
  end(): Promise<void>;
}

/** Starts the scene. */
export async function startCutScene(): Promise<CutScene> {
  const network = new CutNetwork();
  const received: Readonly<Record<string, string>>[] = [];
  const app = await serveApp(received);
  const appRelay = await network.relay(() => app.origin);
  const port = await freePort();
  const relay = await network.relay(() => `http://127.0.0.1:${port}`);
  const service = await startSigninService({
    settings: { baseUrl: relay.origin, 'server.port': String(port), 'signin.pushedRequestSeconds': '600' },
  });
  const web = await service.addClient({ redirectUris: [`${appRelay.origin}/cb`] });
  const phone = await service.addClient({ applicationType: 'native', redirectUris: [PHONE_URI] });
  const browser = await openChromium();
  const parts = { network, service, appOrigin: appRelay.origin, received, browser };
  return {
    service,
    network,
    browser,
    run: (given) => run(given, given.onPhone ? phone : web, parts),
    async end() {
      await browser.close();
      for (const server of [relay, appRelay, app]) await server.close();
      await service.end();
    },
  };
}

interface Parts {
  readonly network: CutNetwork;
  readonly service: SigninService;
  /** Origin of the app for browsers. */
  readonly appOrigin: string;
  /** Parameters that the app got, in order. */
  readonly received: readonly Readonly<Record<string, string>>[];
  readonly browser: Browser;
}

async function run(given: CutCase, client: TestClient, parts: Parts): Promise<void> {
  const { network, browser, appOrigin } = parts;
  const { step, moment, next, hasScripts = true } = given;
  const context = await browser.newContext({ javaScriptEnabled: hasScripts });
  context.setDefaultTimeout(60_000);
  try {
    const state = randomUUID();
    const person = new Person(context, await context.newPage(), state, client, parts);
    const begin = await addressOf(given, client, state, parts.service.baseUrl);
    const { page } = person;
    await page.goto(`${appOrigin}/?${new URLSearchParams({ to: begin })}`);
    const isEarly = EARLY.has(step);
    if (!isEarly) {
      await page.getByRole('link', { name: 'Sign in' }).click();
      await person.prove();
    }
    const isFetched = ['style', 'script', 'status'].includes(step);
    const failed = isFetched ? page.waitForEvent('requestfailed') : undefined;
    const cut = network.cutAt(STEPS[step], moment);
    if (isEarly) await page.getByRole('link', { name: 'Sign in' }).click({ noWaitAfter: true });
    else await person.hurry();
    await cut;
    await failed;
    if (losesPage(given)) await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/^chrome-error:/);
    if (step === 'status' && moment !== 'after the answer') {
      await page.getByText('No answer from the sign-in service at the moment.').waitFor();
    }
    network.restore();
    await person.does(next);
    const isNew = next === 'goes back' && !isEarly && !given.isPushed && !given.onPhone;
    expect(await person.expectArrival()).toBe(isNew ? 2 : 1);
  } finally {
    network.restore();
    await context.close();
  }
}

/** Whether the browser shows a page of its own after the cut. Half of an answer may be a page. */
function losesPage({ step, moment, onPhone = false }: CutCase): boolean {
  if (moment === 'in the middle of the answer') return false;
  if (moment === 'after the answer') return ['authorize', 'verdict'].includes(step) || (step === 'continue' && !onPhone);
  return ['authorize', 'page', 'continue', 'callback'].includes(step);
}

/** Returns the address by which the app begins the sign-in. */
async function addressOf(
  { mode = 'query', isPushed = false }: CutCase,
  { clientId, clientSecret, redirectUri }: TestClient,
  state: string,
  baseUrl: string,
): Promise<string> {
  const request = {
    response_type: 'code',
    scope: 'openid',
    client_id: clientId,
    redirect_uri: redirectUri,
    response_mode: mode,
    state,
  };
  if (!isPushed) return `${baseUrl}/authorize?${new URLSearchParams(request)}`;
  const body = new URLSearchParams({ ...request, client_secret: clientSecret });
  const pushed = await fetch(`${baseUrl}/par`, { method: 'POST', body });
  expect(pushed.status).toBe(201);
  const { request_uri } = (await pushed.json()) as { readonly request_uri: string };
  return `${baseUrl}/authorize?${new URLSearchParams({ client_id: clientId, request_uri })}`;
}

/** Serves an app: a page with a link to `to`, and the page at which people arrive. */
async function serveApp(received: Readonly<Record<string, string>>[]): Promise<LocalServer> {
  return await serveLocally(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://app');
    const isCallback = pathname === '/cb';
    if (isCallback) received.push(Object.fromEntries([...searchParams, ...(await formOf(request))]));
    const begin = (searchParams.get('to') ?? '').replaceAll('&', '&amp;');
    const content = isCallback ? '<h1>The app</h1>' : `<h1>Start</h1><a href="${begin}">Sign in</a>`;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>App</title><link rel="icon" href="data:,">${content}`);
  });
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/** The person, with the tab that is in front. */
class Person {
  page: Page;
  /** Links to the wallet that were followed to a proof. */
  readonly #proven = new Set<string>();
  readonly #context: BrowserContext;
  readonly #state: string;
  readonly #client: TestClient;
  readonly #parts: Parts;
  readonly #since: number;
  readonly #codes = new Set<string>();

  constructor(context: BrowserContext, page: Page, state: string, client: TestClient, parts: Parts) {
    this.page = page;
    this.#context = context;
    this.#state = state;
    this.#client = client;
    this.#parts = parts;
    this.#since = parts.network.seen.length;
  }

  /** Proves with the wallet, unless that was done for the request on the page. */
  async prove(): Promise<void> {
    const link = (await this.page.getAttribute('#wallet-link', 'href')) ?? '';
    if (this.#proven.has(link)) return;
    await approve(link);
    this.#proven.add(link);
  }

  /** Has the page poll at once, as a browser does when the network is there again. */
  async hurry(): Promise<void> {
    await this.page.evaluate("dispatchEvent(new Event('online'))").catch(() => undefined);
  }

  async does(next: Next): Promise<void> {
    if (next === 'waits') await this.hurry();
    if (next === 'reloads') await this.#reload();
    if (next === 'goes back') await this.page.goBack();
    if (next === 'opens another tab') {
      this.page = await this.#context.newPage();
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
    if (isPhone && page.url().startsWith('chrome-error:')) await page.goBack();
    const arrived = page.getByRole('heading', { name: 'The app' });
    const start = page.getByRole('link', { name: 'Sign in' });
    const tap = page.locator('a[href$="/continue"]:visible');
    const link = page.locator('#wallet-link:visible');
    await arrived.or(start).or(tap).or(link).first().waitFor();
    if (await start.isVisible()) await start.click();
    await arrived.or(tap).or(link).first().waitFor();
    if (await link.isVisible()) {
      await this.prove();
      await this.hurry();
    }
    if (isPhone) await this.#tap();
    else {
      await arrived.waitFor();
      const { search, hash } = new URL(page.url());
      this.#take(new URLSearchParams(hash.slice(1) || search));
    }
    for (const parameters of this.#parts.received) this.#take(new URLSearchParams(parameters));
    expect(this.#codes.size).toBeGreaterThan(0);
    const statuses = [];
    for (const code of this.#codes) {
      statuses.push((await redeemCode(this.#parts.service.baseUrl, this.#client, code)).status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(this.#codes.size).toBeLessThanOrEqual(this.#proven.size);
    return this.#proven.size;
  }

  /** Taps on "Continue" by script: headless Chromium swallows the pointer while it would ask whether to open an app. */
  async #tap(): Promise<void> {
    const tap = this.page.locator('a[href$="/continue"]:visible');
    await tap.waitFor();
    const before = this.#entries();
    await tap.evaluate((link) => (link as unknown as { click(): void }).click());
    await expect.poll(() => this.#entries().length, { timeout: 60_000 }).toBeGreaterThan(before.length);
    for (const address of this.#entries()) this.#take(new URL(address).searchParams);
  }

  /** Addresses by which the app was opened in this sign-in. */
  #entries(): string[] {
    const locations = this.#parts.network.seen.map(({ location = '' }) => location);
    return locations.slice(this.#since).filter((address) => address.startsWith(PHONE_URI));
  }

  #take(parameters: URLSearchParams): void {
    const code = parameters.get('code');
    if (code !== null && parameters.get('state') === this.#state) this.#codes.add(code);
  }

  /** Address of the page of the sign-in, if it was begun. */
  #address(): string | undefined {
    const locations = this.#parts.network.seen.slice(this.#since).map(({ location = '' }) => location);
    return locations.findLast((address) => /\/authorize\/[\w-]{43}$/.test(address));
  }

  async #reload(): Promise<void> {
    // Half an answer may still be a navigation; opening an app ends one.
    await this.page.reload().catch((error) => {
      if (!/ERR_ABORTED|interrupted/.test(String(error))) throw error;
    });
  }

  /** Expects that another device learns nothing, and is told why. */
  async #expectNothingElsewhere(): Promise<void> {
    const address = this.#address() ?? '';
    const other = await this.#parts.browser.newContext();
    const page = await other.newPage();
    for (const place of [address, `${address}/continue`]) {
      expect((await page.goto(place))?.status()).toBe(403);
      await page.getByText('Your browser is not part of this sign-in, or the sign-in is over.').waitFor();
      await page.getByText('on another device').waitFor();
    }
    await other.close();
  }
}
