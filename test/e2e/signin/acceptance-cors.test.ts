import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { startAppPage } from '../../support/browser/app-page.ts';
import { describeInChromium, openChromium } from '../../support/browser/browser.ts';
import { opened } from '../../support/opened.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

/** The parts of an answer that a page's script could read, or the error name if it could read nothing. */
type Read =
  | { readonly status: number; readonly challenge: string | null; readonly body: Record<string, unknown> }
  | string;

describeInChromium('scripts of pages in Chromium', () => {
  const pages: Page[] = [];

  const service = opened(useSharedSignin);
  const own = opened(startAppPage, 'end');
  const foreign = opened(startAppPage, 'end');
  const client = opened(() => service.addClient({ redirectUris: [own.callback] }));
  const browser = opened(openChromium, 'close');
  beforeAll(async () => {
    for (const app of [own, foreign]) {
      const page = await browser.newPage();
      await page.goto(app.origin);
      pages.push(page);
    }
  });

  /** Calls the service from a page, as a browser library would. */
  async function read(page: Page | undefined, path: string, init: object): Promise<Read> {
    if (page === undefined) throw new Error('expected a page, got undefined');
    const script = `(async () => {
      try {
        const response = await fetch(${JSON.stringify(service.baseUrl + path)}, ${JSON.stringify(init)});
        const text = await response.text();
        return {
          status: response.status,
          challenge: response.headers.get('WWW-Authenticate'),
          body: text === '' ? {} : JSON.parse(text),
        };
      } catch (error) {
        return error.name;
      }
    })()`;
    return (await page.evaluate(script)) as Read;
  }

  const basic = (secret: string): string => `Basic ${btoa(`${client.clientId}:${secret}`)}`;
  const form = (fields: Readonly<Record<string, string>>, authorization: string): object => ({
    method: 'POST',
    headers: { authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  async function codeFields(): Promise<Readonly<Record<string, string>>> {
    const { clientId: client_id, redirectUri: redirect_uri } = client;
    const { parameters } = await service.complete({ client_id, redirect_uri });
    return { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri };
  }

  it('get tokens and claims, and can revoke, from a registered origin', async () => {
    const answer = await read(pages[0], '/token', form(await codeFields(), basic(client.clientSecret)));
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    const token = typeof answer === 'string' ? '' : String(answer.body.access_token);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect(await read(pages[0], '/userinfo', bearer)).toMatchObject({ status: 200 });
    const revoked = await read(pages[0], '/revoke', form({ token }, basic(client.clientSecret)));
    expect(revoked).toMatchObject({ status: 200 });
    expect(await read(pages[0], '/userinfo', bearer)).toMatchObject({ status: 401 });
  });

  it('can read refusals with their challenges from a registered origin', async () => {
    expect(await read(pages[0], '/token', form(await codeFields(), basic('wrong')))).toMatchObject({
      status: 401,
      challenge: `Basic realm="${service.baseUrl}", charset="UTF-8"`,
      body: { error: 'invalid_client', code: 'unauthenticated' },
    });
    const unknown = form({ ...(await codeFields()), code: 'x' }, basic(client.clientSecret));
    expect(await read(pages[0], '/token', unknown)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    const bearer = { headers: { authorization: 'Bearer x' } };
    expect(await read(pages[0], '/userinfo', bearer)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error="invalid_token"'),
      body: { code: 'invalid_token' },
    });
  });

  it('cannot read answers from another origin, and a code stays valid', async () => {
    const fields = await codeFields();
    // a request with Authorization needs a preflight, which is refused: the request never leaves the browser
    expect(await read(pages[1], '/token', form(fields, basic(client.clientSecret)))).toBe('TypeError');
    expect(await read(pages[1], '/userinfo', { headers: { authorization: 'Bearer x' } })).toBe('TypeError');
    expect(await read(pages[1], '/revoke', form({ token: 'x' }, basic('wrong')))).toBe('TypeError');
    const answer = await read(pages[0], '/token', form(fields, basic(client.clientSecret)));
    expect(answer).toMatchObject({ status: 200 });
  });

  it('read metadata and keys from any origin, and /introspect from none', async () => {
    for (const page of pages) {
      const metadata = await read(page, '/.well-known/openid-configuration', {});
      expect(metadata).toMatchObject({ status: 200, body: { issuer: service.baseUrl } });
      expect(await read(page, '/jwks', {})).toMatchObject({ status: 200 });
      const introspection = form({ token: 'x' }, basic(client.clientSecret));
      expect(await read(page, '/introspect', introspection)).toBe('TypeError');
    }
  });
});
