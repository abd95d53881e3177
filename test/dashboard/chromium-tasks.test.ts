/** What an operator does, in the page and by keyboard where that says something; the service must then behave so. */
import * as client from 'openid-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pointerHashOf } from '../../src/oidc/transaction/plan-sign-in.ts';
import { shortDigest } from '../../src/storage/audit/audit-writer.ts';
import { BROWSER_TEST, CHROMIUM_SKIP, isChromiumPresent } from '../support/browser/browser.ts';
import { callbackOf } from '../support/interop/relying-party.ts';
import { type BodyMaker, bodyMaker, LOAD_APP, LOAD_ROOT, send } from '../support/load.ts';
import { addPerson } from '../support/signin/add-person.ts';
import { completeSignIn } from '../support/signin/driver.ts';
import { registerLoadApp } from '../support/signin/register-load-app.ts';
import { type DashboardScene, type DashboardTab, startDashboard } from './support/dashboard.ts';

const CALLBACK = 'https://shop.example/callback';

describe.skipIf(!isChromiumPresent)(`an operator at the dashboard${CHROMIUM_SKIP}`, BROWSER_TEST, () => {
  let scene: DashboardScene;
  let tab: DashboardTab;
  let makeBody: BodyMaker;
  beforeAll(async () => {
    // Changes are seen by the running service at once.
    scene = await startDashboard({
      settings: {
        'storage.cacheSeconds': '0',
        'verify.worldid4.enabled': 'true',
        'signin.worldid4.rpId': 'rp_0123456789abcdef',
      },
    });
    await registerLoadApp(scene.service.store);
    makeBody = await bodyMaker('dashboard tasks');
    tab = await scene.open();
  });
  afterAll(() => scene?.end());
  afterEach(() => tab.expectClean());

  /** Reads the secret from the dialog that shows it once, and closes the dialog. */
  async function takeSecret(): Promise<string> {
    const dialog = tab.page.getByRole('dialog');
    const value = await dialog.getByLabel('Client secret').inputValue();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    // Headless Chromium may refuse the clipboard; both texts say what to do.
    await dialog.getByText(/^Copied\.$|Ctrl\+C/).waitFor();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    return value;
  }

  /** Signs a person in to an app by openid-client, with the code flow and a proof. */
  async function signIn(appId: string, secret: string): Promise<string | undefined> {
    const issuer = scene.service.baseUrl;
    const config = await client.discovery(new URL(issuer), appId, secret, undefined, {
      execute: [client.allowInsecureRequests],
    });
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      code_challenge_method: 'S256',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
    });
    const answer = await completeSignIn(issuer, Object.fromEntries(url.searchParams));
    const tokens = await client.authorizationCodeGrant(config, callbackOf(answer), {
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    return tokens.claims()?.sub;
  }

  it('registers a client, with which a person then signs in; rotates its secret, and both work', async () => {
    const { page } = tab;
    await tab.show('/apps');
    await page.getByRole('link', { name: 'Register an app' }).click();
    await page.getByRole('heading', { level: 1, name: 'Register an app' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Corner Shop');
    await page.getByLabel('Redirect URIs').fill('http://shop.example/callback');
    await page.getByRole('button', { name: 'Register' }).click();
    const refusal = page.locator('#main .field-error:visible');
    await refusal.waitFor();
    expect(await refusal.textContent()).toMatch(/https/);
    const uris = page.getByLabel('Redirect URIs');
    expect(await uris.getAttribute('aria-invalid')).toBe('true');
    expect(await uris.evaluate((node) => node.matches(':focus'))).toBe(true);

    await uris.fill(CALLBACK);
    await page.getByRole('button', { name: 'Register' }).click();
    const first = await takeSecret();
    await page.getByRole('heading', { level: 1, name: 'Corner Shop' }).waitFor();
    await tab.settled();
    const appId = decodeURIComponent(page.url().split('/').at(-1) ?? '');
    const sub = await signIn(appId, first);
    expect(sub).toMatch(/^0x[0-9a-f]{64}$/);

    await page.getByLabel('The old secret stays valid for').selectOption('1 hour');
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    const second = await takeSecret();
    expect(second).not.toBe(first);
    expect(await signIn(appId, second)).toBe(sub);
    expect(await signIn(appId, first)).toBe(sub);
    await expect
      .poll(() => page.getByText('Live client secrets').locator('..').locator('tbody tr').count())
      .toBe(2);
    const stored = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
    expect(stored).not.toContain(second);
    expect(await page.content()).not.toContain(second);
  });

  it('forgets a person whom an app knows, and allows a new beginning, whose code is shown once', async () => {
    const { page } = tab;
    const { store } = scene.service;
    const { app_id } = await scene.call<{ app_id: string }>('POST', '/apps', {
      name: 'Club',
      redirect_uris: [CALLBACK],
    });
    for (const person of [0x11, 0x22]) {
      await addPerson(store, { clientId: app_id, name: `club ${person}`, person, now: Date.now() });
    }
    const shown = shortDigest(new Uint8Array(32).fill(0x11));
    await tab.show(`/apps/${app_id}`);
    await page.getByRole('button', { name: `Forget person ${shown}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByText(`The person ${shown} is forgotten.`).first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Forget person/ }).count()).toBe(1);
    expect(await store.people.count(app_id, Date.now())).toBe(1);

    await page.getByLabel('The permission can be used for').selectOption('1 hour');
    await page.getByRole('button', { name: 'Allow a new beginning' }).click();
    const dialog = page.getByRole('dialog');
    const hint = await dialog.getByLabel('login_hint').inputValue();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('One person may begin anew.').first().waitFor();
    expect(await store.people.findBeginning(app_id, pointerHashOf(hint), Date.now())).toBe(2);
    expect(await page.content()).not.toContain(hint);
  });

  it('sets the verification policy of a new app and changes it; wrong members are marked', async () => {
    const { page } = tab;
    await tab.show('/apps/new');
    await page.getByLabel('Name', { exact: true }).fill('Poll');
    await page.getByText('More', { exact: true }).click();
    const policy = page.getByRole('group', { name: 'Verification policy' });
    await policy.getByRole('checkbox', { name: 'Production' }).check();
    await policy.getByRole('checkbox', { name: 'World ID 4.0' }).check();
    await policy.getByLabel('Credentials').fill('proof_of_human\n9303');
    await policy.getByLabel('Maximum age of a root in seconds').fill('59');
    await policy.getByLabel('Actions', { exact: true }).fill('vote');
    await policy.getByRole('checkbox', { name: 'Session proofs besides these actions' }).check();
    await policy.getByRole('checkbox', { name: 'Session proofs may be used again' }).uncheck();
    await page.getByRole('button', { name: 'Register' }).click();
    const refusal = page.locator('#main .field-error:visible');
    await refusal.waitFor();
    expect(await refusal.textContent()).toContain('60 to 604800');
    await policy.getByLabel('Maximum age of a root in seconds').fill('3600');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: 'Poll' }).waitFor();
    await tab.settled();
    const appId = decodeURIComponent(page.url().split('/').at(-1) ?? '');
    const stored = async () => (await scene.service.store.apps.findByAppId(appId))?.policy;
    expect(await stored()).toEqual({
      environments: ['production'],
      protocols: ['4.0'],
      credentials: ['proof_of_human', 9303],
      maxRootAgeSeconds: 3600,
      actions: ['vote', ''],
      sessionProofReuse: false,
    });
    await page.getByText('roots: at most 3600 s old').waitFor();
    await page.getByText('session proofs: not again').waitFor();

    await page.getByText('More', { exact: true }).click();
    await policy.getByRole('checkbox', { name: 'World ID 4.0' }).uncheck();
    await policy.getByLabel('Credentials').fill('orb');
    await policy.getByLabel('Maximum age of a root in seconds').fill('');
    await policy.getByLabel('Actions', { exact: true }).fill('');
    await policy.getByRole('checkbox', { name: 'Session proofs may be used again' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Poll is saved.').first().waitFor();
    // The box of session proofs is still ticked: they alone are accepted, rather than any action.
    expect(await stored()).toEqual({ environments: ['production'], credentials: ['orb'], actions: [''] });

    // Lines cannot hold every action: a list that nobody touches stays as it is.
    const actions = ['a\nb', ' c '];
    await scene.service.store.apps.update(appId, { policy: { actions } }, Date.now());
    await tab.show('/apps');
    await tab.show(`/apps/${appId}`);
    await page.getByLabel('Name', { exact: true }).fill('Ballot');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ballot' }).waitFor();
    expect((await stored())?.actions).toEqual(actions);
  });

  it('disables an app, whose verifications are then refused, finds the refusal explained, and enables it', async () => {
    const { page } = tab;
    expect((await send(scene.service.baseUrl, makeBody().body, LOAD_APP)).status).toBe(200);
    await tab.show('/apps');
    await tab.show(`/apps/${LOAD_APP}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').waitFor();
    // Back declines: what was asked was about another page.
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tab.show(`/apps/${LOAD_APP}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Load is disabled.').first().waitFor();
    const refused = await send(scene.service.baseUrl, makeBody().body, LOAD_APP);
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });

    await tab.show('/refusals');
    const card = page.getByRole('region', { name: 'The app is disabled' });
    await card.getByText('An operator disabled the app.').waitFor();
    expect(await card.textContent()).toContain('proofgate apps enable');
    const link = card.getByRole('link', { name: 'About verify.app_disabled' });
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    expect(await opened.locator('section:target').textContent()).toContain('An operator disabled the app.');
    await opened.close();

    await tab.show(`/apps/${LOAD_APP}`);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Load is enabled.').first().waitFor();
    expect((await send(scene.service.baseUrl, makeBody().body, LOAD_APP)).status).toBe(200);
  });

  it('learns that an app was changed meanwhile, and what to do', async () => {
    const { page } = tab;
    await tab.show('/apps/new');
    await tab.show(`/apps/${LOAD_APP}`);
    await scene.service.store.apps.update(LOAD_APP, { name: 'Load of another' }, Date.now() + 1);
    await page.getByLabel('Name', { exact: true }).fill('Load of mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('changed by somebody else since you opened it').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Load of another' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Load of mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Load of mine' }).waitFor();

    await tab.show('/audit');
    const row = page
      .getByRole('row')
      .filter({ hasText: 'Load of another' })
      .filter({ hasText: 'Load of mine' });
    expect(await row.textContent()).toContain('api:config');
    expect(await row.locator('del').textContent()).toBe('Load of another');
    expect(await row.locator('ins').textContent()).toBe('Load of mine');
  });

  it('finds a wrong proof explained', async () => {
    await send(scene.service.baseUrl, makeBody(true).body, LOAD_APP);
    await tab.show('/refusals');
    const card = tab.page.getByRole('region', { name: 'The proof does not hold for these inputs' });
    await card.getByText('its equation is false').waitFor();
    expect(await card.textContent()).toContain('What helps: ');
  });

  it('resets an action of staging, so that a person can take part once more', async () => {
    const { page } = tab;
    const { store, baseUrl } = scene.service;
    const rows = await store.roots.list({ environment: 'production' });
    const [root] = rows.filter((row) => Buffer.from(row.root).equals(LOAD_ROOT));
    if (root === undefined) throw new Error('expected the root of the load tests');
    await store.roots.put([{ ...root, environment: 'staging' }]);
    const body = JSON.stringify({ ...JSON.parse(makeBody().body), environment: 'staging' });
    const messages = [];
    for (let round = 0; round < 2; round++) messages.push((await send(baseUrl, body, LOAD_APP)).body.message);
    await tab.show(`/apps/${LOAD_APP}`);
    await page.getByRole('button', { name: 'Reset action load' }).click();
    await page.getByRole('dialog').getByText('Production is not touched.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('begins anew: 1 nullifier forgotten.').first().waitFor();
    messages.push((await send(baseUrl, body, LOAD_APP)).body.message);
    expect(messages[0]).toMatch(/./);
    expect(messages[1]).not.toBe(messages[0]);
    expect(messages[2]).toBe(messages[0]);
  });

  it('rotates the sign-in key and reads when the next rotation is', async () => {
    const { page } = tab;
    await tab.show('/keys');
    const card = page.getByRole('region', { name: 'Sign-in keys' });
    const next = await card
      .getByRole('row')
      .filter({ hasText: 'signs next' })
      .locator('code')
      .getAttribute('title');
    await card.getByRole('button', { name: 'Rotate now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText(`The key ${next} is active now.`).first().waitFor();
    await tab.settled();
    const active = card.getByRole('row').filter({ hasText: 'active' });
    expect(await active.locator('code').getAttribute('title')).toBe(next);
    expect(await card.textContent()).toMatch(/The next rotation is on \d+ \w+ \d{4} \(in \d+ days\)/);
  });

  it('changes the number of workers and sees it in the status', async () => {
    const { page } = tab;
    await tab.show('/status');
    await page.getByLabel('Worker threads').fill('2');
    await page.getByLabel('Worker threads').press('Enter');
    await page.getByText('This node now has 2 worker threads.').first().waitFor();
    await page.getByRole('row').getByText('2 of 2').waitFor();
    await send(scene.service.baseUrl, makeBody(true).body, LOAD_APP);
    const chart = page.getByRole('region', { name: 'Bad proofs' });
    await expect.poll(() => chart.locator('.value').textContent()).toMatch(/^(none yet|\d.*%)$/);
    await chart.getByText('Values').click();
    await chart.getByRole('row').nth(1).waitFor();
  });

  it('may look at everything but change nothing with a token of scope read', async () => {
    const { token } = await scene.call<{ readonly token: string }>('POST', '/tokens', {
      name: 'a look',
      scope: 'read',
    });
    const reader = await scene.open(token);
    const before = await scene.call('GET', '/audit?limit=1');
    for (const address of [
      '/status',
      `/apps/${LOAD_APP}`,
      '/apps/new',
      '/keys',
      '/roots',
      '/signups',
      '/access',
    ]) {
      await reader.show(address);
      const main = reader.page.locator('#main');
      const changes = main.getByRole('button', {
        name: /^(Change|Disable|Save|Remove|Rotate|Register|Revoke|Reset|Add|Make|Switch|Sweep|Import|Prune)/,
      });
      expect(await changes.count(), address).toBeGreaterThan(0);
      for (const change of await changes.all()) expect(await change.isDisabled(), address).toBe(true);
      expect(await changes.first().getAttribute('title')).toBe('Your token may only read.');
      // A form is submitted by Enter, too.
      for (const field of await main.locator('form input[type="text"], form input:not([type])').all()) {
        await field.press('Enter');
      }
    }
    // The page is not what keeps it from changing: the API refuses.
    await reader.page.evaluate(
      "for (const node of document.querySelectorAll('button')) node.disabled = false",
    );
    await reader.page.getByRole('button', { name: 'Sweep now' }).click();
    await reader.page.getByText('Your token may only read. Sign in with').first().waitFor();
    expect(await scene.call('GET', '/audit?limit=1')).toEqual(before);
    reader.expectClean();

    await tab.show('/access');
    await tab.page.getByRole('button', { name: 'Revoke token a look' }).click();
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await tab.page.getByText('The token a look is revoked.').first().waitFor();
    await reader.page.evaluate("location.hash = '/keys'");
    await reader.page.getByText('The service no longer accepts this token').waitFor();
    expect(await reader.page.evaluate('sessionStorage.length')).toBe(0);
    await reader.close();
  });

  it('works by keyboard: skip link, navigation, and a heading that takes the focus', async () => {
    const { page } = tab;
    await tab.show('/status');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'Settings' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.activeElement?.localName === 'h1'`);
    expect(await page.title()).toBe('Settings – Proofgate');
    await page.goBack();
    await page.waitForFunction(`document.title === 'Status – Proofgate'`);
  });

  it('says why a token is not accepted, and forgets it at sign-out', async () => {
    const { page } = tab;
    await tab.page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.getByLabel('Admin token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The service does not accept this token.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
