import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { toHex } from '../../src/semaphore/hex.ts';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  openChromium,
  openWatchedPage,
} from '../support/browser/browser.ts';
import { freePort } from '../support/free-port.ts';
import { openInteropBrowser, type Visit } from '../support/interop/browser.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import type { SignInAnswer, SignInCourse } from '../support/signin/driver.ts';
import { startSigninService } from '../support/signin/service.ts';
import { approve, nullifierOf } from '../support/test-wallet.ts';
import {
  type Apache,
  type ApacheSite,
  apacheAddresses,
  missingApache,
  startApache,
} from './support/apache.ts';

const TYPES = [
  'code id_token token',
  'code id_token',
  'code token',
  'code',
  'id_token',
  'id_token token',
] as const;

// Every response type in every mode that it allows (spec/sign-in.md#response-types); Chromium visits only the
// first site.
const SITES: readonly ApacheSite[] = TYPES.flatMap((responseType) => {
  const modes = ['fragment', 'form_post', ...(responseType === 'code' ? ['query'] : [])];
  return modes.map((responseMode) => ({ responseType, responseMode }));
}).map((site, index) => ({
  ...site,
  host: `127.0.0.${index + 1}`,
  authMethod: index % 2 === 0 ? 'client_secret_basic' : 'client_secret_post',
}));

/** Where the browser is after a sign-out: a document without a page of its own. */
const BYE = 'https://shop.example/bye';

const skip = missingApache === undefined ? '' : ` [skipped: no ${missingApache}]`;

describe.skipIf(missingApache !== undefined)(`mod_auth_openidc${skip}`, () => {
  let client: TestClient;
  let sub: string;
  let port: number;
  let apache: Apache | undefined;

  const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
  beforeAll(async () => {
    port = await freePort();
    client = await service.addClient({
      redirectUris: SITES.map(({ host }) => apacheAddresses(host, port).callback),
      responseTypes: [...TYPES],
      requirePkce: true,
      postLogoutRedirectUris: [BYE],
    });
    sub = toHex(await nullifierOf('alice', client.clientId));
    apache = await startApache(service.baseUrl, client, SITES, port);
  });
  afterAll(async () => {
    await apache?.end();
  });

  /** Signs in with a new browser profile; `change` modifies the answer on its way. */
  async function signIn(
    { host, responseMode }: ApacheSite,
    course: SignInCourse = {},
    change = (answer: SignInAnswer): SignInAnswer => answer,
  ): Promise<Visit> {
    const browser = openInteropBrowser(service.baseUrl);
    const answer = change(await browser.signIn(apacheAddresses(host, port).page, course));
    expect(answer.mode).toBe(responseMode);
    const visit = await browser.deliver(answer);
    if (answer.mode !== 'fragment') return visit;
    // does what the script of Apache's page does with a fragment
    const inputs = [...visit.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const own = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
    expect(own).toEqual({ response_mode: 'fragment' });
    return await browser.visit(visit.url, { ...own, ...answer.parameters });
  }

  const person = (): object => ({
    sub,
    email: `${sub}@${new URL(service.baseUrl).hostname}`,
    name: 'World ID User',
    [`${service.baseUrl}/v1`]: { verification_level: 'orb' },
  });
  const expectPerson = (page: unknown, { responseType }: ApacheSite): void => {
    expect(page).toMatchObject({
      idToken: { iss: service.baseUrl, aud: client.clientId, acr: 'orb', ...person() },
      userinfo: responseType === 'id_token' ? null : person(),
    });
  };

  it.each(SITES)('signs in with $responseType by $responseMode', async (site) => {
    const visit = await signIn(site);
    expect([visit.status, visit.url]).toEqual([200, apacheAddresses(site.host, port).page]);
    expectPerson(visit.json(), site);
  });

  const siteOf = (responseType: string, responseMode: string): ApacheSite => {
    const site = SITES.find((one) => one.responseType === responseType && one.responseMode === responseMode);
    if (site === undefined) throw new Error(`no site of ${responseType} by ${responseMode}`);
    return site;
  };
  const declined: SignInCourse = { declinesWith: 'verification_rejected' };

  it.each(['fragment', 'form_post'])('reports a declined sign-in by %s', async (responseMode) => {
    const { text } = await signIn(siteOf('code', responseMode), declined);
    expect(text).toMatch(/access_denied.*The person declined in the wallet\./s);
  });

  // The module treats every query with `iss` and without a code as a login initiated by a third party.
  it('starts again after a declined sign-in that is reported in the query', async () => {
    const visit = await signIn(siteOf('code', 'query'), declined);
    expect([visit.status, visit.url]).toEqual([
      200,
      expect.stringContaining(`${service.baseUrl}/authorize/`),
    ]);
  });

  it.each([
    ['code', 'code id_token', 'could not validate code against "c_hash"'],
    ['access_token', 'id_token token', 'could not validate access token against "at_hash"'],
  ])('refuses a %s that does not match the ID token', async (name, responseType, reason) => {
    expect(apache?.errors()).not.toContain(reason);
    const visit = await signIn(siteOf(responseType, 'fragment'), {}, (answer) => ({
      ...answer,
      parameters: { ...answer.parameters, [name]: `${answer.parameters[name]}x` },
    }));
    expect(visit.text).toContain('Error in handling response type');
    expect(apache?.errors()).toContain(reason);
  });

  it('signs in again without a page while the person stays signed in, and signs out', async () => {
    const [first, second] = [siteOf('code', 'query'), siteOf('code', 'form_post')];
    const browser = openInteropBrowser(service.baseUrl);
    const stays = { agreesTo: ['stay'] };
    await browser.deliver(await browser.signIn(apacheAddresses(first.host, port).page, stays));
    // Another site of the app, which has a session of its own.
    const { page, callback } = apacheAddresses(second.host, port);
    const form = await browser.visit(page);
    expect([form.status, form.text]).toEqual([200, expect.stringContaining(`action="${callback}"`)]);
    const logout = `${apacheAddresses(first.host, port).callback}?logout=${encodeURIComponent(BYE)}`;
    expect(await browser.follow(logout)).toBe(BYE);
    const again = await browser.visit(page);
    expect(again.url).toMatch(/\/authorize\/[\w-]{43}$/);
  });

  it.skipIf(!isChromiumPresent)(
    `signs in with its own script in Chromium${CHROMIUM_SKIP}`,
    async () => {
      const [site] = SITES;
      if (site?.responseMode !== 'fragment') throw new Error('expected the first site to use a fragment');
      const chromium = await openChromium();
      onTestFinished(() => chromium.close());
      const { page, faults } = await openWatchedPage(chromium, (fault) => fault.endsWith('/favicon.ico'));
      const address = apacheAddresses(site.host, port).page;
      await page.goto(address);
      await approve((await page.locator('#wallet-link').getAttribute('href')) ?? '');
      await page.waitForURL(address);
      expectPerson(JSON.parse((await page.locator('pre').textContent()) ?? ''), site);
      expect(faults).toEqual([]);
    },
    BROWSER_TEST.timeout,
  );
});
