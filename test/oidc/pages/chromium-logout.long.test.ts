// Rules: spec/sign-in.md#sign-out-pages
import { afterEach, expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/browser.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { approve } from '../../support/test-wallet.ts';
import { type BrowserSignIn, startBrowserSignIn } from '../support/browser-sign-in.ts';

const SETTINGS = { 'signin.sessionSeconds': '3600' };
const STAY = /^Stay signed in to /;

describeInChromium('a person signs out', () => {
  let scene: BrowserSignIn | undefined;
  afterEach(async () => {
    await scene?.end();
    scene = undefined;
  });

  it('on the page that asks, and returns to the app with the state', async () => {
    scene = await startBrowserSignIn({}, SETTINGS);
    const { service, app } = scene;
    const after = `${app.callback}?out=1`;
    const client: TestClient = await service.addClient({
      name: 'Großhandelsgesellschaft für Schifffahrtsbedarf & Söhne, Hamburg',
      redirectUris: [app.callback],
      postLogoutRedirectUris: [after],
    });
    const tab = await scene.open({ client_id: client.clientId, redirect_uri: client.redirectUri });
    const { page } = tab;
    await page.getByRole('checkbox', { name: STAY }).check();
    await approve(await tab.connectUrl());
    await tab.arrived();

    const logout = (parameters: Readonly<Record<string, string>>) =>
      page.goto(`${service.baseUrl}/logout?${new URLSearchParams(parameters)}`);
    await logout({ client_id: client.clientId, post_logout_redirect_uri: after, state: 'é\n1' });
    await expectAccessibleLayout(page, 'logout-ask');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.searchParams.has('out'));
    expect(new URL(page.url()).searchParams.get('state')).toBe('é\n1');

    await logout({ client_id: client.clientId });
    expect(await page.getByRole('heading').textContent()).toMatch(/^You are not signed in to /);
    await expectAccessibleLayout(page, 'logout-none');
    for (const { name } of await page.context().cookies()) expect(name).not.toMatch(/session/);
  });

  it('without JavaScript, in another language', async () => {
    scene = await startBrowserSignIn({ javaScriptEnabled: false }, SETTINGS);
    const { service } = scene;
    const tab = await scene.open();
    const { page } = tab;
    // The page reloads itself, so its buttons may go away under a click; another test presses them.
    const agreed = await page.context().request.post(`${page.url()}/agree`, {
      form: { stay: 'on' },
      maxRedirects: 0,
    });
    expect(agreed.status()).toBe(303);
    await approve(await tab.connectUrl());
    await tab.arrived();
    await page.goto(`${service.baseUrl}/logout?ui_locales=de`);
    expect(await page.getByRole('button', { name: 'Abmelden' }).isVisible()).toBe(false);
    await page.locator('summary').click();
    await expectAccessibleLayout(page, 'logout-ask-no-script');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    expect(await page.getByRole('heading').textContent()).toBe('Sie sind abgemeldet');
    await expectAccessibleLayout(page, 'logout-done');
  });
});
