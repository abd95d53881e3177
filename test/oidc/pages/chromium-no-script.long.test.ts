import { expect, it } from 'vitest';
import { describeInChromium } from '../../support/browser/browser.ts';
import { opened } from '../../support/opened.ts';
import { approve, decline, openRequest, proveRequest } from '../../support/test-wallet.ts';
import { startBrowserSignIn } from '../support/browser-sign-in.ts';

describeInChromium('a person without JavaScript', () => {
  const scene = opened(() => startBrowserSignIn({ javaScriptEnabled: false }), 'end');

  it('sees each state, tries again, and returns to the app', async () => {
    const tab = await scene.open({ state: 'st' });
    expect(await tab.page.getByRole('button', { name: 'Copy the address' }).count()).toBe(0);
    const request = await openRequest(await tab.connectUrl());
    await tab.page.getByText('Confirm in your wallet.').waitFor();
    await request.answer(await proveRequest(request.plaintext, { isFalse: true }));
    await tab.page.getByText('The proof is not valid for this sign-in.').waitFor();
    await tab.press('Try again');
    await tab.page.getByText('Waiting for your wallet.').waitFor();
    await approve(await tab.connectUrl());
    expect(await tab.arrived()).toMatchObject({ code: expect.any(String), state: 'st' });
  });

  it('declines in the wallet, or cancels', async () => {
    const declined = await scene.open();
    await decline(await declined.connectUrl());
    await declined.page.getByRole('alert').getByText('You declined in your wallet.').waitFor();
    await declined.goBack();
    expect((await declined.arrived()).error_description).toBe('The person declined in the wallet.');
    const left = await scene.open();
    const isAway = (url: URL): boolean => url.origin !== scene.service.baseUrl;
    // Presses again if the page reloads itself at the moment of the click.
    while (!isAway(new URL(left.page.url()))) {
      const cancel = left.page.getByRole('button', { name: 'Cancel' });
      await cancel.click({ timeout: 2000 }).catch(() => undefined);
      await left.page.waitForURL(isAway, { timeout: 5000 }).catch(() => undefined);
    }
    expect((await left.arrived()).error_description).toBe('The person left the sign-in page.');
    scene.person.expectClean(scene.app.origin);
  });

  it('returns to the app by form_post with a button', async () => {
    const tab = await scene.open({ response_mode: 'form_post' });
    await approve(await tab.connectUrl());
    await tab.page.getByRole('button', { name: 'Continue' }).click();
    await tab.arrived();
    expect(scene.app.posted[0]).toHaveProperty('code');
  });
});
