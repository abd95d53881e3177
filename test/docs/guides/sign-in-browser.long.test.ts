import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BROWSER_TEST,
  CHROMIUM_SKIP,
  isChromiumPresent,
  useWatchedPage,
} from '../../support/browser/browser.ts';
import { type Interop, type ListeningApp, startInterop } from '../../support/interop/relying-party.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { approve, decline } from '../../support/test-wallet.ts';
import { servePage, walletLink } from './support/app-page.ts';
import { valuesFor } from './support/sign-in-app.ts';
import { makeScratch, snippet } from './support/snippets.ts';

describe.skipIf(!isChromiumPresent)(
  `the page of sign-in.md with oidc-client-ts${CHROMIUM_SKIP}`,
  BROWSER_TEST,
  () => {
    const scratch = makeScratch();
    let interop: Interop;
    let client: TestClient;
    let app: ListeningApp;
    const watched = useWatchedPage();
    beforeAll(async () => {
      interop = await startInterop();
      app = await servePage(async (origin) => {
        client = await interop.service.addClient({
          tokenEndpointAuthMethod: 'none',
          redirectUris: [`${origin}/callback`],
        });
        let text = snippet('sign-in', 'sign-in.ts');
        for (const [placeholder, value] of Object.entries(valuesFor(interop.issuer, client)))
          text = text.replaceAll(placeholder, value);
        return scratch.write('sign-in.ts', text);
      });
    });
    afterAll(async () => {
      await app?.end();
      await interop?.end();
      scratch.end();
    });

    async function signIn(): Promise<Page> {
      const { page } = watched;
      await page.goto(app.origin);
      await page.evaluate('void guide.signIn()');
      return page;
    }

    it('signs in, stays signed in after a reload, and signs out', async () => {
      const page = await signIn();
      await approve(await walletLink(page));
      await page.waitForURL((url) => url.pathname === '/callback');
      const sub = await interop.subFor(client);
      expect(await page.evaluate('guide.currentUser().then((user) => user.profile.sub)')).toBe(sub);
      await page.reload();
      expect(new URL(page.url()).pathname).toBe('/');
      expect(await page.evaluate('guide.currentUser().then((user) => user.profile.acr)')).toBe('orb');
      await page.evaluate('guide.signOut()');
      expect(await page.evaluate('guide.currentUser()')).toBeNull();
      expect(watched.faults).toEqual([]);
    });

    it('throws what the guide says when the person declines', async () => {
      const page = await signIn();
      await decline(await walletLink(page));
      await page.getByRole('link', { name: 'Back to ' }).click();
      await page.waitForURL((url) => url.pathname === '/callback');
      const failure = await page.evaluate('guide.currentUser().catch(({ name, error }) => [name, error])');
      expect(failure).toEqual(['ErrorResponse', 'access_denied']);
    });
  },
);
