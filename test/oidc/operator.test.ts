import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  describeInChromium,
  openChromium,
  openTestPage,
  openWatchedPage,
} from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { opened } from '../support/opened.ts';
import { startProductionSignin } from '../support/signin/production-signin.ts';
import { startSigninService } from '../support/signin/service.ts';
import { useSharedSignin } from '../support/signin/shared-service.ts';
import { openSignInBrowser, type SignInBrowser } from '../support/signin/sign-in-page-driver.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="32"><rect width="120" height="32" fill="#5b2a86"/></svg>';

describe('the pages without settings of the operator', () => {
  const service = opened(useSharedSignin);

  it('name the host, and the demo wallet with its address, and link no policy or terms', async () => {
    const html = await (await service.begin()).page();
    const { host } = new URL(service.baseUrl);
    expect(html).toContain(`<header class="brand"><span>${host}</span></header>`);
    expect(html).toContain(`<p>Sign-in service of ${host}</p>`);
    expect(html).toContain('You need Proofgate Demo Wallet, an app');
    expect(html).toContain(`<a id="wallet-download" class="link" href="${service.baseUrl}/wallet"`);
    expect(html).not.toContain('Privacy policy');
    expect(html).not.toContain('Terms of use');
  });
});

describe('the pages with another wallet', () => {
  it('name it if the operator configured a name, and otherwise name no wallet', async () => {
    for (const [settings, needed, link] of [
      [{ 'wallet.url': 'https://wallet.example/open' }, 'You need a wallet app that proves', undefined],
      [
        {
          'wallet.url': 'https://wallet.example/open',
          'wallet.name': 'My <Wallet>',
          'wallet.downloadUrl': 'https://wallet.example/get?a=1&b=2',
        },
        'You need My &lt;Wallet&gt;, an app',
        'href="https://wallet.example/get?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Get My &lt;Wallet&gt;</a>',
      ],
    ] as const) {
      const service = await startSigninService({ settings });
      try {
        const html = await (await service.begin()).page();
        expect(html).toContain(needed);
        if (link === undefined) expect(html).not.toContain('wallet-download');
        else expect(html).toContain(link);
      } finally {
        await service.end();
      }
    }
  });
});

describeInChromium('the pages in production', () => {
  let person: SignInBrowser;
  const insecure = { ignoreHTTPSErrors: true };

  const production = opened(
    () =>
      startProductionSignin(
        {
          'signin.operatorName': 'Human & Söhne',
          'signin.policyUrl': 'https://operator.example/privacy?a=1&b=2',
          'signin.termsUrl': 'https://operator.example/terms',
          'signin.logoFile': '{folder}/logo.svg',
          'signin.accentColor': '#5b2a86',
        },
        { 'logo.svg': LOGO },
      ),
    'end',
  );
  const browser = opened(openChromium, 'close');
  beforeAll(async () => {
    const isExpected = (fault: string): boolean => /status of (400|404)/.test(fault);
    person = await openSignInBrowser(browser, production.service, isExpected, insecure);
  });
  afterAll(async () => {
    await person?.close();
  });

  it('name the operator, the wallet with its address, and link policy and terms', async () => {
    const { page } = await person.open();
    expect(await page.locator('header.brand').textContent()).toBe('Human & Söhne');
    expect(await page.locator('footer').textContent()).toContain('Sign-in service of Human & Söhne');
    await page.getByText('You need World App, an app').waitFor();
    const links = [
      ['Get World App', 'https://world.org/download'],
      ['Privacy policy', 'https://operator.example/privacy?a=1&b=2'],
      ['Terms of use', 'https://operator.example/terms'],
    ] as const;
    for (const [name, address] of links) {
      expect(await page.getByRole('link', { name }).getAttribute('href')).toBe(address);
    }
  });

  it('show the logo and the accent colour, in both themes at every width', async () => {
    const { page } = await person.open();
    expect(await page.evaluate("document.querySelector('.brand img').naturalWidth")).toBe(120);
    const colorOf = (scheme: 'light' | 'dark'): Promise<unknown> =>
      page
        .emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
        .then(() =>
          page.evaluate("getComputedStyle(document.querySelector('#wallet-link')).backgroundColor"),
        );
    expect(await colorOf('light')).toBe('rgb(91, 42, 134)');
    expect(await colorOf('dark')).toBe('rgb(157, 127, 182)');
    await expectAccessibleLayout(page, 'production-waiting');
  });

  it('have no section for developers, not even for staging clients', async () => {
    const { page } = await person.open();
    expect(await page.locator('.banner').count()).toBe(0);
    expect(await page.content()).not.toMatch(/simulator|developer/i);
    await page.goto(`${production.service.baseUrl}/authorize?client_id=app_unknown`);
    await page.getByRole('heading', { name: 'Something is wrong with this request' }).waitFor();
    expect(await page.content()).not.toMatch(/developer|proofgate /i);
    expect(await page.getByText('app_not_found').count()).toBe(1);
    await expectAccessibleLayout(page, 'production-error');
  });

  it('ask for confirmation when the wallet has the request', async () => {
    const tab = await person.open();
    // The wallet does not trust the certificate of this test, so the browser takes the request in its place.
    const [, id = ''] = /[?&]i=([^&]*)/.exec(await tab.connectUrl()) ?? [];
    const other = await openWatchedPage(browser, () => false, insecure);
    await other.page.goto(`${production.service.baseUrl}/bridge/request/${id}`);
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Cancel' }).count()).toBe(1);
    await other.close();
  });

  it('include a landing page and a not-found page that name the operator', async () => {
    const { page } = await openTestPage(browser, (fault) => /status of 404/.test(fault), insecure);
    await page.goto(`${production.service.baseUrl}/`);
    await page.getByRole('heading', { level: 1, name: 'Human & Söhne' }).waitFor();
    const links = await page.evaluate('[...document.links].map(({ href }) => href)');
    expect(links).toEqual([
      `${production.service.baseUrl}/.well-known/openid-configuration`,
      'https://operator.example/privacy?a=1&b=2',
      'https://operator.example/terms',
    ]);
    await expectAccessibleLayout(page, 'production-landing');
    await page.goto(`${production.service.baseUrl}/demo`);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await expectAccessibleLayout(page, 'production-not-found');
    await page.getByRole('link', { name: 'About this service' }).click();
    await page.getByRole('heading', { level: 1, name: 'Human & Söhne' }).waitFor();
  });

  it('serve the logo as a picture that can run no scripts', async () => {
    const { page } = await openTestPage(browser, () => false, insecure);
    await page.goto(`${production.service.baseUrl}/`);
    const address = String(await page.evaluate("document.querySelector('.brand img').src"));
    expect(address).toMatch(/\/signin\/assets\/logo\.[0-9a-f]{16}\.svg$/);
    const answer = await page.goto(address);
    expect(answer?.headers()).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('violate no policy and send no request to a third party', () => {
    person.expectClean();
  });
});
