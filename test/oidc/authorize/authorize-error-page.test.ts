// Rules: spec/sign-in.md#checks-answered-by-the-service and spec/sign-in.md#error-body
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import {
  authorizeFallback,
  authorizeRoutes,
} from '../../../src/http/routes/public/signin/authorize/authorize.ts';
import { renderSigninPageError } from '../../../src/http/routes/public/signin/authorize/error-page.ts';
import { openChromium, openWatchedPage } from '../../support/browser/browser.ts';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { expectAccessibleLayout } from '../../support/browser/page-states.ts';
import { testSite } from '../../support/browser/site.ts';
import { errorBody } from '../../support/error-body.ts';
import { inlineCode } from '../../support/inline-code.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openListener } from '../../support/server/test-listener.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { getAuthorize, postAuthorize } from '../support/authorize-client.ts';

const service = opened(useSharedSignin);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

function expectPage(reply: RawResponse, status: number): string {
  expect(reply.status).toBe(status);
  expect(headerOf(reply, 'content-type')).toBe('text/html; charset=utf-8');
  expect(headerOf(reply, 'content-security-policy')).toBe(POLICY);
  expect(headerOf(reply, 'x-frame-options')).toBe('DENY');
  expect(headerOf(reply, 'referrer-policy')).toBe('no-referrer');
  expect(headerOf(reply, 'x-robots-tag')).toBe('noindex');
  expect(headerOf(reply, 'cache-control')).toBe('no-store');
  expect(headerOf(reply, 'pragma')).toBe('no-cache');
  const html = reply.body.toString();
  expect(inlineCode(html)).toEqual([]);
  expect(html).toContain('<html lang="en">');
  return html;
}

describe('the error page of /authorize', () => {
  it('shows code, detail, attribute and a section for developers', async () => {
    const html = expectPage(await getAuthorize(service.baseUrl, [['client_id', service.web.clientId]]), 400);
    expect(html).toContain('<h1>Something is wrong with this request</h1>');
    expect(html).toContain('This attribute is required.');
    expect(html).toContain('<dt>Code</dt><dd><code>required</code></dd>');
    expect(html).toContain('<dt>Attribute</dt><dd><code>redirect_uri</code></dd>');
    expect(html).toContain('<h2>For developers</h2>');
  });

  it('shows the request id of the response header, and loads one icon and one stylesheet that exist', async () => {
    const reply = await getAuthorize(service.baseUrl, []);
    const html = expectPage(reply, 400);
    expect(html).toContain(`<dt>Request</dt><dd><code>${headerOf(reply, 'x-request-id')}</code></dd>`);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(loaded).toEqual([
      expect.stringMatching(/\.[0-9a-f]{16}\.svg$/),
      expect.stringMatching(/\.[0-9a-f]{16}\.css$/),
    ]);
    const style = await fetch(service.baseUrl + loaded[1]);
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.headers.get('cache-control')).toContain('immutable');
  });

  it('tells developers what is wrong and what to run', async () => {
    const { clientId } = service.web;
    const reply = await getAuthorize(service.baseUrl, [
      ['client_id', clientId],
      ['redirect_uri', 'https://a.example'],
    ]);
    const html = expectPage(reply, 400);
    expect(html).toContain('<b>The redirect URI is not one of the client.</b>');
    expect(html).toContain('<code>proofgate apps update</code>');
  });

  it('shows no value of the request', async () => {
    const reply = await getAuthorize(service.baseUrl, [
      ['client_id', service.web.clientId],
      ['redirect_uri', 'https://planted.example/<b>'],
      ['state', 'planted'],
    ]);
    expect(expectPage(reply, 400)).not.toContain('planted');
  });

  it.each([
    [undefined, 'page'],
    ['*/*', 'page'],
    ['text/html', 'page'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'page'],
    ['application/json', 'json'],
    ['application/json, text/plain, */*', 'page'],
    ['application/json;q=1, */*;q=0.9', 'json'],
    ['application/json, text/html', 'page'],
    ['application/json;q=0.9, text/html;q=0.8', 'json'],
    ['text/html;q=0.9, application/json;q=0.8', 'page'],
    ['application/json;q=0.8, text/html;q=0.9', 'page'],
    ['application/json, text/html;q=0', 'json'],
    ['Application/JSON', 'json'],
    ['application/*', 'json'],
    ['text/*, application/json', 'page'],
    ['text/*;q=0.5, application/json', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['application/json;q=0', 'page'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['application/problem+json', 'page'],
    ['text/html;level=1;q=0.1, application/json;q=0.2', 'json'],
    ['', 'page'],
    [';;q,,', 'page'],
  ] as const)('answers Accept %j as %s', async (accept, kind) => {
    const headers = accept === undefined ? [] : [`Accept: ${accept}`];
    const { port } = new URL(service.baseUrl);
    const send = (line: string, ...more: readonly string[]): Promise<RawResponse> =>
      rawRequest(Number(port), requestText(line, [...headers, ...more]));
    const nobody = `GET /authorize/${'T'.repeat(43)}`;
    for (const [reply, status, code] of [
      [await getAuthorize(service.baseUrl, [], headers), 400, 'required'],
      [await getAuthorize(service.baseUrl, [['client_id', 'app_0']], headers), 400, 'app_not_found'],
      [await postAuthorize(service.baseUrl, [], headers), 400, 'invalid_content_type'],
      [
        await postAuthorize(service.baseUrl, 'x'.repeat(32_769), [
          ...headers,
          'Content-Type: application/x-www-form-urlencoded',
        ]),
        413,
        'request_too_large',
      ],
      [await getAuthorize(service.baseUrl, 'x'.repeat(32_769), headers), 414, 'request_too_large'],
      [await send('PUT /authorize'), 405, 'method_not_allowed'],
      [await send('DELETE /authorize'), 405, 'method_not_allowed'],
      [await send('OPTIONS /authorize', 'Origin: https://a.example'), 405, 'method_not_allowed'],
      [await send(nobody), 403, 'session_not_found'],
      [await send(`${nobody}/continue`), 403, 'session_not_found'],
    ] as const) {
      const body = reply.body.toString();
      expect([reply.status, body]).toEqual([status, expect.stringContaining(code)]);
      if (kind === 'json') {
        expect(headerOf(reply, 'content-type')).toBe('application/json');
        expect(JSON.parse(body)).toMatchObject({ code });
      } else {
        expect(headerOf(reply, 'content-type')).toBe('text/html; charset=utf-8');
        expect(headerOf(reply, 'x-frame-options')).toBe('DENY');
        expect(headerOf(reply, 'content-security-policy')).toBe(POLICY);
      }
      expect(reply.headers.filter(([name]) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describeInChromium('the error page of /authorize in Chromium', () => {
  it('is readable in both themes at every width, and violates no policy', async () => {
    const browser = await openChromium();
    onTestFinished(() => browser.close());
    const { page, faults } = await openWatchedPage(browser, (fault) => fault.includes('status of 400'));
    await page.goto(
      `${service.baseUrl}/authorize?client_id=${service.web.clientId}&redirect_uri=https://a.example`,
    );
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(
      'Something is wrong with this request',
    );
    await expectAccessibleLayout(page, 'authorize-refused');
    expect(faults).toEqual([]);
  });
});

describe('/authorize, while the service fails', () => {
  const config = {
    baseUrl: 'http://127.0.0.1/base',
    signin: { transactionTtlSeconds: 900, worldid4: { rpId: undefined, rememberSeconds: 3600 } },
  };
  const listen = async (begin: () => never): Promise<string> => {
    const renderError = renderSigninPageError(await testSite());
    const routes = authorizeRoutes({
      config,
      clients: { find: begin },
      readHint: begin,
      issuers: undefined,
      answerFromSession: begin,
      transactions: { begin },
      findRequest: async (parameters) => ({ parameters, pushed: undefined }),
      renderError,
      rateGuard: undefined,
    });
    const fallbacks = [authorizeFallback({ config, renderError })];
    const { port } = await openListener(routes, { fallbacks });
    return `http://127.0.0.1:${port}/base`;
  };
  const request = [['client_id', 'app_1']] as const;

  it('answers 503 with Retry-After and a page that takes the blame for the failure', async () => {
    const base = await listen(() => {
      throw new ServiceError('store.unreachable', 'planted reason');
    });
    const page = await getAuthorize(base, request);
    const html = expectPage(page, 503);
    expect(headerOf(page, 'retry-after')).toBe('5');
    expect(html).toContain('<h1>Something went wrong on our side</h1>');
    expect(html).not.toContain('For developers');
    expect(html).not.toContain('planted');
    const json = await getAuthorize(base, request, ['Accept: application/json']);
    expect(headerOf(json, 'retry-after')).toBe('5');
    expect(JSON.parse(json.body.toString())).toEqual(
      errorBody(
        'temporarily_unavailable',
        'server_error',
        'The service is temporarily unavailable. Please try again.',
      ),
    );
  });

  it('answers 500 to an internal error and hides its reason', async () => {
    const base = await listen(() => {
      throw new Error('planted secret');
    });
    const html = expectPage(await getAuthorize(base, request), 500);
    expect(html).not.toContain('planted');
    const json = await getAuthorize(base, request, ['Accept: application/json']);
    expect([json.status, JSON.parse(json.body.toString())]).toEqual([
      500,
      errorBody('server_error', 'server_error', 'Internal server error.'),
    ]);
  });

  it('answers 404 with a page for an unknown path below /authorize', async () => {
    const base = await listen(() => {
      throw new Error('unexpected call');
    });
    const { port } = new URL(base);
    const reply = await rawRequest(Number(port), requestText('GET /base/authorize/a/b/c'));
    expect(expectPage(reply, 404)).toContain('<code>not_found</code>');
  });
});
