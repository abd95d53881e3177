import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import { startCutScene } from '../support/cut-sign-in.ts';

const UNREACHABLE = 'No answer from the sign-in service at the moment. This page keeps trying.';

describeInChromium('a person comes back to the page of a sign-in', () => {
  const scene = opened(startCutScene, 'end');

  it('which says that no answer comes while the device is offline, and goes on once it is online', async () => {
    const person = await scene.open();
    await person.press('Sign in');
    await person.page.getByText('Waiting for your wallet.').waitFor();
    const context = person.page.context();
    await context.setOffline(true);
    await person.page.getByText(UNREACHABLE).waitFor();
    await person.prove();
    await context.setOffline(false);
    expect(await person.expectArrival()).toBe(1);
  });

  it('which opens an app on the phone with the same code at each tap, and says when the app has redeemed it', async () => {
    const person = await scene.open({ onPhone: true });
    await person.press('Sign in');
    await person.page.getByText('Waiting for your wallet.').waitFor();
    await person.prove();
    await person.hurry();
    const sentence = person.page.getByText('Identity confirmed. Use the button to return to Demo Shop.');
    await sentence.waitFor();
    const code = await person.tap();
    expect(await person.tap()).toBe(code);
    await reload(person.page);
    await sentence.waitFor();
    expect(await person.tap()).toBe(code);
    const address = person.page.url();
    expect(await person.expectArrival()).toBe(1);
    const finished = person.page.getByRole('heading', { name: 'This sign-in is already finished' });
    await finished.waitFor();
    await person.page.getByText('The app has got its answer.').waitFor();
    const twin = await person.page.context().newPage();
    for (const path of ['', '/continue']) {
      await twin.goto(address + path);
      await twin.getByText('The app has got its answer.').waitFor();
    }
  });

  it('after a refusal, which it then shows again, and whose answer goes to the app again', async () => {
    const person = await scene.open();
    await person.press('Sign in');
    const { page } = person;
    await person.decline();
    await person.hurry();
    const alert = page.getByRole('alert').getByText('You declined in your wallet.');
    for (let time = 0; time < 2; time++) {
      await alert.waitFor();
      await person.press('Back to');
      await page.getByRole('heading', { name: 'The app' }).waitFor();
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
      await page.goBack();
    }
    await alert.waitFor();
  });

  it('of form_post, whose button sends the same code again where the app does not answer with a page', async () => {
    const person = await scene.open({ mode: 'form_post' });
    const { page } = person;
    let answers = 0;
    await page.route('**/cb', (route) =>
      answers++ === 0 ? route.fulfill({ status: 204 }) : route.continue(),
    );
    await person.press('Sign in');
    await person.prove();
    await person.hurry();
    await page.getByText('Use the button if you are not taken back to the app.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await person.expectArrival()).toBe(1);
    expect(answers).toBe(2);
  });

  it('of form_post to an app on the phone, whose button is there at once', async () => {
    const person = await scene.open({ mode: 'form_post', onPhone: true });
    const { page } = person;
    await person.press('Sign in');
    await person.prove();
    await person.hurry();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await reload(page);
    await page.getByRole('button', { name: 'Continue' }).waitFor();
  });
});

/** Loads the page again, also while the browser is about to open an app, which ends a reload. */
async function reload(page: Page): Promise<void> {
  await vi.waitFor(() => page.reload({ waitUntil: 'commit' }), { timeout: 60_000 });
}
