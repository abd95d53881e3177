import { expect, it } from 'vitest';
import { TEXTS } from '../../../src/http/pages/texts/page-texts.ts';
import { LANGUAGES } from '../../../src/oidc/languages.ts';
import { describeInChromium, openChromium, openTestPage } from '../../support/browser/browser.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import { opened } from '../../support/opened.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';
import { openSignInBrowser } from '../../support/signin/sign-in-page-driver.ts';
import { decline } from '../../support/test-wallet.ts';

const TRANSLATED = LANGUAGES.filter((language) => language !== 'en');

describeInChromium('the sign-in page in other languages', () => {
  const service = opened(useSharedSignin);
  const browser = opened(openChromium, 'close');

  const requestOf = (more: Readonly<Record<string, string>> = {}): string => {
    const { clientId, redirectUri } = service.web;
    const parameters = { response_type: 'code', scope: 'openid email profile', client_id: clientId };
    return `${service.baseUrl}/authorize?${new URLSearchParams({ ...parameters, redirect_uri: redirectUri, ...more })}`;
  };

  it.each(TRANSLATED)('is readable in %s, waiting and refused, at every width', async (language) => {
    const texts = TEXTS[language];
    const { page, faults } = await openTestPage(browser, () => false, { locale: 'zh-CN' });
    await page.goto(requestOf({ ui_locales: language }));
    await page.getByText(texts['state.waiting']).waitFor();
    await expectAccessibleLayout(page, `sign-in-waiting-${language}`);
    await decline((await page.locator('#wallet-link').getAttribute('href')) ?? '');
    // Shown by the script, which reads its sentences from the page.
    await page.getByRole('alert').getByText(texts['state.refused.verification_rejected']).waitFor();
    await expectAccessibleLayout(page, `sign-in-refused-${language}`);
    expect(faults).toEqual([]);
  });

  it('is in the language of the browser if the app names none', async () => {
    const { page } = await openTestPage(browser, () => false, { locale: 'ja-JP' });
    await page.goto(requestOf());
    await page.getByRole('heading', { level: 1, name: 'Demo Shop にサインイン' }).waitFor();
  });
});

describeInChromium('the page of a request over its limit', () => {
  const service = opened(
    () =>
      startSigninService({
        settings: {
          'rateLimits.authorize': '1',
          'rateLimits.page': '1',
          'signin.operatorName': 'W'.repeat(64),
        },
      }),
    'end',
  );
  const browser = opened(openChromium, 'close');

  it('counts down and reloads by itself when the time is over', async () => {
    const isLimit = (fault: string): boolean => fault.includes('status of 429');
    const person = await openSignInBrowser(browser, service, isLimit);
    const { page } = await person.open();
    const loads: string[] = [];
    page.on('request', (request) => loads.push(request.url()));
    // The clock of the page stands still but for being set forward; its timers stay real.
    await page.addInitScript('performance.now = () => 0');
    const left = page.locator('#wait-left');
    const secondsLeft = async (): Promise<number> => Number.parseInt((await left.textContent()) ?? '', 10);
    // The sign-in page is over its limit now; loaded late in the minute of the limit, it is loaded once more.
    const address = page.url();
    const reload = async (): Promise<number> => {
      await page.reload();
      return (await left.count()) === 0 ? 0 : await secondsLeft();
    };
    await expect.poll(reload).toBeGreaterThan(5);
    await page.getByRole('heading', { level: 1, name: 'Please wait a moment' }).waitFor();
    await expectAccessibleLayout(page, 'wait');
    const before = await secondsLeft();
    expect(before).toBeGreaterThan(5);
    const setForward = (seconds: number): Promise<void> =>
      page.evaluate((milliseconds) => {
        const now = performance.now();
        performance.now = () => now + milliseconds;
      }, seconds * 1000);
    await setForward(5);
    await expect.poll(secondsLeft).toBeLessThanOrEqual(before - 5);
    const loadsBefore = loads.filter((url) => url === address).length;
    // Its end is awaited, because a browser profile that is closed while a page loads may never be closed.
    const isLoaded = page.waitForEvent('load');
    await setForward(before);
    await isLoaded;
    expect(loads.filter((url) => url === address)).toHaveLength(loadsBefore + 1);
    expect(page.url()).toBe(address);
    expect(person.faults).toEqual([]);
    await person.close();
  });

  it('says how long to wait and links to another try, also without scripts', async () => {
    const isLimit = (fault: string): boolean => fault.includes('status of 429');
    const { page } = await openTestPage(browser, isLimit, { javaScriptEnabled: false });
    const query = new URLSearchParams({ client_id: service.web.clientId, ui_locales: 'de' });
    // Refused from the second time on, unless the minute of the limit is over in between.
    const load = async () => (await page.goto(`${service.baseUrl}/authorize?${query}`))?.status();
    await expect.poll(load).toBe(429);
    await page.getByRole('heading', { level: 1, name: 'Bitte warten Sie einen Moment' }).waitFor();
    expect(await page.locator('#wait-sentence').textContent()).toMatch(
      /^In \d+ Sekunden? können Sie es erneut versuchen\.$/,
    );
    // The link leads to the same address, with all its parameters.
    const again = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Erneut versuchen' }).click();
    await again;
    await page.getByRole('heading', { level: 1, name: 'Bitte warten Sie einen Moment' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?${query}`);
  });
});
