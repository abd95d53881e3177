import { expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/browser.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { opened } from '../../support/opened.ts';
import { approve, openRequest, proveRequest } from '../../support/test-wallet.ts';
import { startBrowserSignIn } from '../support/browser-sign-in.ts';

describeInChromium('a person signs in', () => {
  const scene = opened(startBrowserSignIn, 'end');

  it('from the link to the wallet to the code at the app', async () => {
    const tab = await scene.open({ state: 'st' });
    expect(await tab.status.textContent()).toBe('Waiting for your wallet.');
    const request = await openRequest(await tab.connectUrl());
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    expect(await tab.page.locator('#wallet-link').isVisible()).toBe(false);
    await request.answer(await proveRequest(request.plaintext));
    const answer = await tab.arrived();
    expect(answer).toMatchObject({ state: 'st', iss: scene.service.baseUrl });
    await scene.expectGoodCode(answer);
    // the page was replaced: the back button leads to where the person came from, not to a finished sign-in
    expect(await tab.page.evaluate('history.length')).toBe(2);
  });

  it('by form_post, in a form that submits itself', async () => {
    const tab = await scene.open({
      response_type: 'code id_token',
      response_mode: 'form_post',
      nonce: 'n',
    });
    await approve(await tab.connectUrl());
    expect(await tab.arrived()).toEqual({});
    const [form = {}] = scene.app.posted;
    expect(Object.keys(form)).toEqual(['code', 'id_token', 'iss']);
    await scene.expectGoodCode(form);
  });

  if (RUNS_ALL) {
    it('after a bad proof, with another attempt', async () => {
      const tab = await scene.open();
      const first = await tab.connectUrl();
      await approve(first, { isFalse: true });
      await tab.page.getByText('The proof is not valid for this sign-in. Please try again.').waitFor();
      await tab.press('Try again');
      await tab.page.getByText('Waiting for your wallet.').waitFor();
      const second = await tab.connectUrl();
      expect(second).not.toBe(first);
      await approve(second);
      await scene.expectGoodCode(await tab.arrived());
    });
  }

  it('cancels, and the app is notified', async () => {
    const tab = await scene.open({ state: 'st' });
    await tab.press('Cancel');
    expect(await tab.arrived()).toEqual({
      error: 'access_denied',
      error_description: 'The person left the sign-in page.',
      state: 'st',
      iss: scene.service.baseUrl,
    });
  });

  it('without a policy violation, an error or a request to a third party', () => {
    scene.person.expectClean(scene.app.origin);
  });
});
