import { describe, expect, it } from 'vitest';
import { DEMO_CLIENT_ID } from '../../src/development/demo-client.ts';
import type { DemoCallbackConfig, DemoPageConfig } from '../../src/pages.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { inlineCode } from '../support/inline-code.ts';
import { opened } from '../support/opened.ts';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { configOf as pageConfig } from '../support/server/html.ts';
import { startApp } from '../support/server/start-app.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const FORM = 'application/x-www-form-urlencoded';

const configOf = <T extends DemoPageConfig | DemoCallbackConfig>(html: string): T => pageConfig(html, 'demo');

describe('the pages of the demo', () => {
  // The page has the default settings.
  const app = opened(startApp, 'stop');
  const post = (body: string, type = FORM): Promise<Response> =>
    fetch(`${app.publicUrl}/demo/callback`, { method: 'POST', headers: { 'Content-Type': type }, body });

  it.each(['/demo', '/demo/callback', '/demo/callback?code=c&state=s'])(
    'GET %s is marked as development and has the headers of every page',
    async (path) => {
      const page = await fetch(`${app.publicUrl}${path}`);
      const html = await page.text();
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toBe(POLICY);
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(html).toContain('<header class="banner">development</header>');
      expect(html).toContain('<noscript>');
      expect(inlineCode(html)).toEqual([]);
      const [icon, ...loaded] = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, url]) => url);
      expect(icon).toBe('/favicon.ico');
      expect(loaded).toHaveLength(2);
      for (const url of loaded) {
        const asset = await fetch(`${app.publicUrl}${url}`);
        expect(asset.status, url).toBe(200);
        expect(asset.headers.get('cache-control')).toContain('immutable');
      }
    },
  );

  it('passes all addresses to its script, and the current state of the circuit', async () => {
    const read = async (): Promise<DemoPageConfig> =>
      configOf(await (await fetch(`${app.publicUrl}/demo`)).text());
    const expected = {
      issuer: 'http://localhost:8080',
      clientId: DEMO_CLIENT_ID,
      redirectUri: 'http://localhost:8080/demo/callback',
      urls: {
        demo: 'http://localhost:8080/demo',
        authorize: 'http://localhost:8080/authorize',
        token: '/token',
        jwks: '/jwks',
        userinfo: '/userinfo',
        revoke: '/revoke',
      },
      walletUrl: '/wallet',
      hasWorldId4: false,
      bindings: {},
      circuit: { status: 'missing' },
      circuitUrl: '/wallet/api/circuit',
    };
    expect(await read()).toEqual(expected);
    await fakeCircuit(app.dataDir);
    expect(await read()).toEqual({ ...expected, circuit: { status: 'ready' } });
  });

  it('passes the form of a response to the script, as text', async () => {
    const evil = '</main><script>alert("1")</script> & \'x\'';
    const answer = await post(new URLSearchParams({ state: evil, code: 'c d', unknown: 'u' }).toString());
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toBe(POLICY);
    expect(html).not.toContain('<script>alert');
    expect(configOf<DemoCallbackConfig>(html).posted).toEqual([
      ['code', 'c d'],
      ['state', evil],
    ]);
  });

  it('passes no form to a page that was opened without one', async () => {
    const html = await (await fetch(`${app.publicUrl}/demo/callback?code=c`)).text();
    expect(configOf<DemoCallbackConfig>(html).posted).toBeUndefined();
    expect(html).not.toContain('code=c');
  });

  it('refuses a body that is not a form, one that is malformed, and one that is too large', async () => {
    expect(await (await post('{}', 'application/json')).json()).toMatchObject({
      code: 'invalid_content_type',
    });
    expect(await (await post('code=%zz')).json()).toMatchObject({ code: 'invalid_request' });
    expect((await post(`state=${'s'.repeat(65_536)}`)).status).toBe(413);
  });

  it('answers 405 to other methods', async () => {
    const answer = await fetch(`${app.publicUrl}/demo`, { method: 'POST', body: '' });
    expect(answer.status).toBe(405);
  });

  it('logs no parameters of the response', async () => {
    await fetch(`${app.publicUrl}/demo/callback?code=planted-in-query`);
    await post('code=planted-in-form');
    expect(app.log()).toContain('/demo/callback');
    expect(app.log()).not.toContain('planted-in');
  });
});

describe('the demo in other configurations', () => {
  it('is below the path of baseUrl, with all that it loads and calls', async () => {
    const app = await startAppOfTest({ settings: { baseUrl: 'http://localhost:8080/a/id' } });
    expect((await fetch(`${app.publicUrl}/demo`)).status).toBe(404);
    const html = await (await fetch(`${app.publicUrl}/a/id/demo`)).text();
    const { redirectUri, urls } = configOf<DemoPageConfig>(html);
    expect(redirectUri).toBe('http://localhost:8080/a/id/demo/callback');
    expect(urls.authorize).toBe('http://localhost:8080/a/id/authorize');
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, url]) => url);
    for (const url of [...loaded, urls.jwks]) {
      expect(url).toMatch(/^\/a\/id\//);
      expect((await fetch(`${app.publicUrl}${url}`)).status, url).toBe(200);
    }
  });

  it('is absent if sign-in is off', async () => {
    const app = await startAppOfTest({ settings: { 'signin.enabled': 'false' } });
    expect((await fetch(`${app.publicUrl}/demo`)).status).toBe(404);
  });
});
