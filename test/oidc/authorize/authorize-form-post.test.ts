// Rules: spec/sign-in.md#response-modes
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openChromium } from '../../support/browser/browser.ts';
import { describeInChromium, openTestPage } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import { serveLocally } from '../../support/server/local-server.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { encode, getAuthorize, type Pairs } from '../support/authorize-client.ts';

/** A request that the app received. */
interface Delivery {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly referrer: string | undefined;
  readonly body: string;
}

const deliveries: Delivery[] = [];
const app = opened(
  () =>
    serveLocally(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      if (url.startsWith('/cb')) {
        const type = headers['content-type'] ?? '';
        deliveries.push({ method, url, type, referrer: headers.referer, body });
      }
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><p id="done">done</p>');
    }),
  'close',
);
const service = opened(useSharedSignin);
const client = opened(() => service.addClient({ redirectUris: [`${app.origin}/cb;it's?a=1&b=2`] }));

const STATE = `"><script>alert(1)</script>&amp;'\0\u0001\r\n🙂ä\u2028 + %41`;

function requestOf(state: string): Pairs {
  return [
    ['client_id', client.clientId],
    ['redirect_uri', client.redirectUri],
    ['response_type', 'code'],
    ['response_mode', 'form_post'],
    ['scope', 'openid'],
    ['prompt', 'none'],
    ['state', state],
  ];
}

describe('an authorization response by form_post', () => {
  const getPage = async (): Promise<{ reply: RawResponse; html: string }> => {
    const reply = await getAuthorize(service.baseUrl, requestOf(STATE));
    return { reply, html: reply.body.toString() };
  };

  it('is a page whose policy allows its one script by hash and nothing else', async () => {
    const { reply, html } = await getPage();
    expect(reply.status).toBe(200);
    expect(headerOf(reply, 'content-type')).toBe('text/html;charset=utf-8');
    const scripts = [...html.matchAll(/<script>([^<]*)<\/script>/g)].map(([, script = '']) => script);
    expect(scripts).toHaveLength(1);
    const hash = createHash('sha256')
      .update(scripts[0] ?? '')
      .digest('base64');
    expect(headerOf(reply, 'content-security-policy')).toBe(
      `default-src 'none'; script-src 'sha256-${hash}'; style-src 'none'; img-src data:; connect-src 'none'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(headerOf(reply, 'cache-control')).toBe('no-store');
    expect(headerOf(reply, 'pragma')).toBe('no-cache');
    expect(headerOf(reply, 'referrer-policy')).toBe('no-referrer');
    expect(headerOf(reply, 'x-frame-options')).toBe('DENY');
  });

  it('escapes every attribute, including the action of the form', async () => {
    const { html } = await getPage();
    const action = client.redirectUri.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
    expect(html).toContain(`<form method="post" action="${action}">`);
    expect(html).not.toContain('<script>alert');
    const names = [...html.matchAll(/<input type="hidden" name="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual(['error', 'error_description', 'state', 'iss']);
    expect(html).toMatch(/<div id="by-hand">[\s\S]*<button type="submit">Continue<\/button>/);
  });

  describeInChromium('in Chromium', () => {
    const browser = opened(openChromium, 'close');

    const expectDelivered = (state: string): void => {
      const delivery = deliveries.pop();
      expect(delivery).toMatchObject({
        method: 'POST',
        url: client.redirectUri.slice(client.redirectUri.indexOf('/cb')),
        type: 'application/x-www-form-urlencoded',
        referrer: undefined,
      });
      const form = [...new URLSearchParams(delivery?.body)];
      expect(form).toEqual([
        ['error', 'login_required'],
        ['error_description', 'The person must be asked for a proof.'],
        ['state', state],
        ['iss', service.baseUrl],
      ]);
      expect(deliveries).toEqual([]);
    };

    it('submits itself and preserves every character of the state', async () => {
      const { page, faults } = await openTestPage(browser);
      await page.goto(`${service.baseUrl}/authorize?${encode(requestOf(STATE))}`, { waitUntil: 'commit' });
      await page.waitForSelector('#done');
      expectDelivered(STATE);
      expect(faults).toEqual([]);
    });

    it('is submitted with a button if scripts are disabled', async () => {
      const state = STATE.replace('\0', '');
      const { page, faults } = await openTestPage(browser, undefined, { javaScriptEnabled: false });
      await page.goto(`${service.baseUrl}/authorize?${encode(requestOf(state))}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForSelector('#done');
      expectDelivered(state);
      expect(faults).toEqual([]);
    });
  });
});
