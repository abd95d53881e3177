/** What pages of an app may read in a real browser (src/docs/spec/sign-in.md#cors). */
import { beforeAll, expect, it } from 'vitest';
import { openChromium, openWatchedPage } from '../../support/browser/browser.ts';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import { serveLocally } from '../../support/server/local-server.ts';
import { openBackChannel } from '../support/back-channel.ts';

/** What OpenTelemetry, Sentry, Datadog and Application Insights add to each request of a page. */
const TRACING = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'a=b',
  baggage: 'sentry-trace_id=0af7651916cd43dd8448eb211c80319c',
  'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
  'request-id': '|0af7651916cd43dd8448eb211c80319c.b7ad6b7169203331',
  'x-datadog-trace-id': '1',
};

describeInChromium('a page whose origin is not that of a redirect URI', () => {
  const service = opened(openBackChannel, 'stop');
  const site = opened(
    () =>
      serveLocally((_request, response) =>
        response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>App</title>'),
      ),
    'close',
  );
  const browser = opened(openChromium, 'close');
  const tab = opened(() => openWatchedPage(browser, (fault) => fault.includes('blocked by CORS policy')));
  const app = opened(() =>
    service.addClient({
      redirectUris: ['com.example.app:/cb'],
      applicationType: 'native',
      tokenEndpointAuthMethod: 'none',
      allowedOrigins: [site.origin],
    }),
  );
  beforeAll(async () => {
    await tab.page.goto(site.origin);
  });

  /** Calls the service from the page; returns the status, or `blocked` where the browser refuses it. */
  async function call(
    line: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<unknown> {
    const [method, path] = line.split(' ');
    const request = { method, headers, ...(body === undefined ? {} : { body }) };
    const code = `fetch(${JSON.stringify(service.url + path)}, ${JSON.stringify(request)}).then(({ status }) => status, () => 'blocked')`;
    return tab.page.evaluate(code);
  }

  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  it('reads metadata, keys and answers to its client with the headers of a tracer', async () => {
    expect(await call('GET /.well-known/openid-configuration', TRACING)).toBe(200);
    expect(await call('GET /jwks', TRACING)).toBe(200);
    const form = new URLSearchParams({ client_id: app.id, token: 'x' }).toString();
    expect(await call('POST /revoke', { ...TRACING, ...FORM }, form)).toBe(200);
    expect(await call('POST /token', { ...TRACING, ...FORM }, form)).toBe(400);
    const authorization = `Bearer ${await service.accessToken(app)}`;
    expect(await call('GET /userinfo', { ...TRACING, authorization })).toBe(200);
  });

  it('cannot send a credential where none is read', async () => {
    expect(await call('GET /jwks', { authorization: 'Bearer x' })).toBe('blocked');
  });

  it('reads nothing of another client', async () => {
    const other = await service.addClient({ tokenEndpointAuthMethod: 'none' });
    const form = new URLSearchParams({ client_id: other.id, token: 'x' }).toString();
    expect(await call('POST /revoke', { ...TRACING, ...FORM }, form)).toBe('blocked');
  });
});
