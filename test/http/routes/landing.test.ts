import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import { freePort } from '../../support/free-port.ts';
import { inlineCode } from '../../support/inline-code.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { startApp } from '../../support/server/start-app.ts';
import { signinSettings } from '../../support/signin/service.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Targets of the anchors of a page, without the resources that it loads. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, url]) => url ?? '');
}

async function get(
  url: string,
  accept: string | undefined = BROWSER,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await fetch(url, {
    redirect: 'manual',
    headers: { ...(accept === undefined ? {} : { accept }), ...headers },
  });
}

/** Requests each link of a page. Returns their statuses. */
async function statusesOf(origin: string, links: readonly string[]): Promise<number[]> {
  return await Promise.all(links.map(async (link) => (await get(new URL(link, origin).href)).status));
}

describe('GET /, in development', () => {
  const service = opened(useSharedSignin);

  it('shows a browser a page that explains the service, with working links', async () => {
    const page = await get(`${service.baseUrl}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(POLICY);
    expect(page.headers.get('vary')).toBe('Accept, Accept-Language');
    const html = await page.text();
    expect(inlineCode(html)).toEqual([]);
    expect(html).toContain('Here people prove that they are human without saying who they are.');
    const links = linksOf(html);
    expect(links).toEqual(['/demo', '/wallet', '/docs', '/.well-known/openid-configuration']);
    expect(await statusesOf(service.baseUrl, links)).toEqual([200, 200, 200, 200]);
  });

  it('is in the language of the browser', async () => {
    const page = await get(`${service.baseUrl}/`, BROWSER, { 'accept-language': 'ja,en;q=0.5' });
    expect(page.headers.get('content-language')).toBe('ja');
    expect(await page.text()).toContain('<html lang="ja">');
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0'])(
    'is JSON for a client that sends Accept %j',
    async (accept) => {
      const { port } = new URL(service.baseUrl);
      const headers = accept === undefined ? [] : [`Accept: ${accept}`];
      const answer = await rawRequest(Number(port), requestText('GET /', headers));
      expect(answer.status).toBe(200);
      expect(headerOf(answer, 'content-type')).toBe('application/json');
      expect(JSON.parse(answer.body.toString())).toEqual({
        service: 'proofgate',
        operator: new URL(service.baseUrl).host,
        issuer: service.baseUrl,
        openid_configuration: `${service.baseUrl}/.well-known/openid-configuration`,
        api_reference: `${service.baseUrl}/docs`,
      });
    },
  );

  it('answers HEAD like GET, and other methods with 405', async () => {
    const head = await fetch(`${service.baseUrl}/`, { method: 'HEAD', headers: { accept: BROWSER } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await head.text()).toBe('');
    const post = await fetch(`${service.baseUrl}/`, { method: 'POST', headers: { accept: BROWSER } });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await post.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it('has an icon, at the address where browsers look for one and linked', async () => {
    const html = await (await get(`${service.baseUrl}/`)).text();
    const linked = /<link rel="icon" href="([^"]*)">/.exec(html)?.[1] ?? '';
    const svg = await get(service.baseUrl + linked, 'image/*');
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(svg.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    );
    const icon = await get(`${service.baseUrl}/favicon.ico`, 'image/*');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    expect(icon.headers.get('cache-control')).toBe('public, max-age=86400');
    // one image of 32 by 32 pixels, a PNG
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect(bytes.subarray(0, 8).toString('hex')).toBe('0000010001002020');
    expect(bytes.subarray(bytes.readUInt32LE(18), bytes.readUInt32LE(18) + 4).toString('latin1')).toBe(
      '\x89PNG',
    );
    expect(bytes.length).toBe(bytes.readUInt32LE(18) + bytes.readUInt32LE(14));
    for (const page of ['/demo', '/wallet']) {
      expect(await (await get(service.baseUrl + page)).text()).toContain(
        '<link rel="icon" href="/favicon.ico">',
      );
    }
  });

  describe('an unknown path', () => {
    it('is a small page for a browser, in its language', async () => {
      const page = await get(`${service.baseUrl}/no/such/page?<b>`, BROWSER, { 'accept-language': 'es' });
      expect(page.status).toBe(404);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toBe(POLICY);
      expect(page.headers.get('cache-control')).toBe('no-store');
      const html = await page.text();
      expect(html).toContain('<html lang="es">');
      expect(html).not.toContain('such');
      expect(linksOf(html)).toEqual(['/']);
      const head = await fetch(`${service.baseUrl}/nothing`, {
        method: 'HEAD',
        headers: { accept: BROWSER },
      });
      expect([head.status, head.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    });

    it.each(['*/*', 'application/json', 'text/html, application/json'])(
      'is JSON for a client that sends Accept %s',
      async (accept) => {
        const answer = await get(`${service.baseUrl}/nothing`, accept);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
        expect(await answer.json()).toEqual(errorBody('invalid_request', 'not_found', 'Not found.'));
      },
    );

    it.each([
      ['/api/v4/nothing', { code: 'not_found', detail: 'Not found.', attribute: null }],
      ['/api/v1/nothing', { success: false, error: 'NOT_FOUND', message: 'Not found' }],
      ['/api/nothing', { error: 'invalid_request', code: 'not_found' }],
      ['/bridge/nothing', { error: 'invalid_request', code: 'not_found' }],
      ['/token/nothing', { error: 'invalid_request', code: 'not_found' }],
      ['/.well-known/nothing', { error: 'invalid_request', code: 'not_found' }],
      ['/v1/nothing', { error: 'invalid_request', code: 'not_found' }],
      ['/wallet/api/nothing', { error: 'invalid_request', code: 'not_found' }],
    ])('below an API prefix is JSON for every client: %s', async (path, body) => {
      const answer = await get(service.baseUrl + path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.json()).toMatchObject(body);
    });

    it('with a method other than GET and HEAD is JSON for every client', async () => {
      const answer = await fetch(`${service.baseUrl}/nothing`, {
        method: 'POST',
        headers: { accept: BROWSER },
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    });
  });

  it.each(['/token', '/introspect', '/revoke'])(
    '%s answers a browser with JSON, as it does other clients',
    async (path) => {
      const answer = await get(service.baseUrl + path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([405, 'application/json']);
    },
  );
});

describe('the pages of a service with a path', () => {
  it('are at the origin and below the path, with links below it', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}/a/id`;
    await startSigninOfTest({ settings: { ...signinSettings(port), baseUrl } });
    for (const path of ['/', '/a/id', '/a/id/']) {
      const page = await get(`http://127.0.0.1:${port}${path}`);
      expect(page.status, path).toBe(200);
      const links = linksOf(await page.text());
      expect(links).toEqual([
        '/a/id/demo',
        '/a/id/wallet',
        '/a/id/docs',
        '/a/id/.well-known/openid-configuration',
      ]);
      expect(await statusesOf(baseUrl, links)).toEqual([200, 200, 200, 200]);
    }
    const missing = await get(`${baseUrl}/nothing`);
    expect(missing.status).toBe(404);
    expect(linksOf(await missing.text())).toEqual(['/a/id/']);
    expect((await get(`${baseUrl}/token/nothing`)).headers.get('content-type')).toBe('application/json');
    for (const icon of ['/favicon.ico', '/a/id/favicon.ico']) {
      expect((await get(`http://127.0.0.1:${port}${icon}`)).status).toBe(200);
    }
  });
});

describe('the pages of a service without sign-in', () => {
  const app = opened(() => startApp({ settings: { 'signin.enabled': 'false' } }), 'stop');

  it('are served, without links to pages that are disabled', async () => {
    const html = await (await get(`${app.publicUrl}/`)).text();
    expect(linksOf(html)).toEqual(['/wallet', '/docs']);
    expect(await (await get(`${app.publicUrl}/`, '*/*')).json()).toEqual({
      service: 'proofgate',
      operator: 'localhost:8080',
      api_reference: 'http://localhost:8080/docs',
    });
    expect((await get(`${app.publicUrl}/demo`)).status).toBe(404);
    const style = /<link rel="stylesheet" href="([^"]*)">/.exec(html)?.[1] ?? '';
    expect((await get(app.publicUrl + style)).status).toBe(200);
  });
});
