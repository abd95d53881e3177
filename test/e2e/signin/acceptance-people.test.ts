import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { opened } from '../../support/opened.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import type { PendingSignIn } from '../../support/signin/driver.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { approve, decline, nullifierOf, openRequest, proveRequest } from '../../support/test-wallet.ts';
import { relyingParty, tokensOf } from '../support/relying-party.ts';

describe('people who sign in at one service', () => {
  const service = opened(useSharedSignin);

  it('signs one person in at two apps at the same time, with interleaved steps and different subs', async () => {
    const second = await service.addClient({ name: 'Second', redirectUris: ['https://second.example/cb'] });
    const clients = [service.web, second];
    const begin = ({ clientId, redirectUri }: TestClient): Promise<PendingSignIn> =>
      service.begin({ client_id: clientId, redirect_uri: redirectUri, state: clientId });
    for (const isReversed of [false, true]) {
      const signIns = await Promise.all(clients.map(begin));
      const requests = await Promise.all(signIns.map(({ connectUrl }) => openRequest(connectUrl)));
      const order = isReversed ? [1, 0] : [0, 1];
      for (const index of order) {
        const request = requests[index] ?? expect.fail('no request');
        expect(await request.answer(await proveRequest(request.plaintext, { person: 'both' }))).toBe(201);
      }
      const subs: unknown[] = [];
      for (const index of order) {
        const [signIn, client] = [signIns[index], clients[index]];
        if (signIn === undefined || client === undefined) throw new Error(`no sign-in or client ${index}`);
        expect(await signIn.settle()).toMatchObject({ status: 'completed' });
        const { url, parameters } = await signIn.finish();
        expect(url.startsWith(`${client.redirectUri}?code=`)).toBe(true);
        expect(parameters.state).toBe(client.clientId);
        const { idToken } = await tokensOf(relyingParty(service.baseUrl, client), parameters.code);
        const { sub, aud } = decodeJwt(idToken);
        expect(aud).toBe(client.clientId);
        expect(sub).toBe(toHex(await nullifierOf('both', client.clientId)));
        subs.push(sub);
      }
      expect(new Set(subs).size).toBe(2);
    }
  });

  it('opens several sign-ins of one browser in parallel, each with its own cookie only', async () => {
    const tabs = await Promise.all([1, 2, 3].map(() => service.begin()));
    const cookie = tabs.map((tab) => tab.cookie).join('; ');
    for (const { txn } of tabs) {
      const page = `${service.baseUrl}/authorize/${txn}/status`;
      expect((await fetch(page, { headers: { cookie } })).status).toBe(200);
      const others = tabs.filter((tab) => tab.txn !== txn).map((tab) => tab.cookie);
      expect((await fetch(page, { headers: { cookie: others.join('; ') } })).status).toBe(403);
    }
  });

  describe('without JavaScript', () => {
    const REFRESH = '<noscript><meta http-equiv="refresh" content="3"></noscript>';

    it('the page reloads itself while the sign-in is pending, and leads to the app', async () => {
      const signIn = await service.begin();
      expect(await signIn.page()).toContain(REFRESH);
      const request = await openRequest(signIn.connectUrl);
      const connected = await signIn.page();
      expect(connected).toContain(REFRESH);
      expect(shownIn(connected)).toBe('Confirm in your wallet.');
      await request.answer(await proveRequest(request.plaintext));
      // without polling, loading the page judges the answer
      expect(await loaded(signIn)).toBe(`/authorize/${signIn.txn}/continue`);
      expect((await signIn.finish()).parameters.code).toBeDefined();
    });

    it('the page keeps showing a failure, with forms to try again and to leave', async () => {
      const signIn = await service.begin();
      await approve(signIn.connectUrl, { isFalse: true });
      const page = await signIn.page();
      expect(page).not.toContain(REFRESH);
      expect(shownIn(page)).toBe('The proof is not valid for this sign-in. Please try again.');
      for (const call of ['retry', 'cancel']) {
        const form = `<form method="post" action="/authorize/${signIn.txn}/${call}"`;
        expect(page).toMatch(new RegExp(`${form} data-show="[a-z ]*failed[a-z ]*">`));
      }
      expect((await signIn.retry()).status).toBe(303);
      expect(await signIn.page()).toContain(REFRESH);
    });

    it('the page shows that the wallet declined with a link to the app; leaving leads there immediately', async () => {
      const declined = await service.begin();
      await decline(declined.connectUrl);
      const page = await declined.page();
      expect(page).not.toContain(REFRESH);
      expect(shownIn(page)).toBe('You declined in your wallet.');
      expect(page).toContain(`<a class="button primary" href="/authorize/${declined.txn}/continue">Back to`);
      expect((await declined.finish()).parameters.error).toBe('access_denied');
      const left = await service.begin();
      expect((await left.cancel()).headers.get('location')).toBe(`/authorize/${left.txn}/continue`);
      expect((await left.finish()).parameters.error).toBe('access_denied');
    });

    /** Returns the text of the page's status or alert. */
    function shownIn(page: string): string | undefined {
      return /<p id="(?:status|alert)"[^>]*>([^<]+)</.exec(page)?.[1];
    }

    /** Loads the page and returns where it redirects. */
    async function loaded({ txn, cookie }: PendingSignIn): Promise<string | null> {
      const init = { redirect: 'manual', headers: { cookie } } as const;
      const response = await fetch(`${service.baseUrl}/authorize/${txn}`, init);
      await response.arrayBuffer();
      return response.headers.get('location');
    }
  });
});
