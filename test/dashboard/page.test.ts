/** The page and its files over a raw socket: they need no token, reveal nothing, and have the headers of src/docs/spec/interfaces.md#dashboard. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/errors/catalogue.ts';
import { readClientFile } from '../../src/http/pages/assets.ts';
import { inlineCode } from '../support/inline-code.ts';
import { headerOf, rawRequest, requestText } from '../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';

const TOKEN = 'test-admin-token-with-32-characters-or-more';
const MAX_SCRIPT_BYTES = 120_000;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

describe('GET / of the admin listener', () => {
  let app: StartedApp;
  let port: number;
  let html: string;
  let assets: string[];
  const get = (path: string, method = 'GET') => rawRequest(port, requestText(`${method} ${path}`));
  beforeAll(async () => {
    app = await startApp({ settings: { 'admin.token': TOKEN } });
    port = Number(new URL(app.adminUrl).port);
    html = (await get('/')).body.toString();
    assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
  });
  afterAll(() => app.stop());

  it('is a page without inline code whose policy allows nothing but its own origin', async () => {
    const answer = await get('/');
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-type')).toBe('text/html; charset=utf-8');
    expect(headerOf(answer, 'content-security-policy')).toBe(POLICY);
    expect(headerOf(answer, 'x-frame-options')).toBe('DENY');
    expect(headerOf(answer, 'referrer-policy')).toBe('no-referrer');
    expect(headerOf(answer, 'cache-control')).toBe('no-store');
    expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
    expect(headerOf(answer, 'cross-origin-opener-policy')).toBe('same-origin');
    expect(headerOf(answer, 'set-cookie')).toBeUndefined();
    expect(headerOf(answer, 'access-control-allow-origin')).toBeUndefined();
    expect(inlineCode(html)).toEqual([]);
  });

  it('loads a script, a stylesheet and an icon, all immutable and from its own origin', async () => {
    expect(assets.map((url) => url.replace(/[0-9a-f]{16}/, 'HASH')).sort()).toEqual([
      '/assets/dashboard.HASH.css',
      '/assets/dashboard.HASH.js',
      '/assets/favicon.HASH.svg',
    ]);
    for (const url of assets) {
      const answer = await get(url);
      expect(answer.status).toBe(200);
      expect(headerOf(answer, 'cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
      const head = await get(url, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(headerOf(head, 'content-length')).toBe(String(answer.body.length));
    }
  });

  it('reveals nothing about the deployment', async () => {
    const bodies = await Promise.all(['/', ...assets].map(async (url) => (await get(url)).body.toString()));
    const { nodeId } = await (
      await fetch(`${app.adminUrl}/admin/v1/nodes`, { headers: { authorization: `Bearer ${TOKEN}` } })
    )
      .json()
      .then(({ items }: { items: { node_id: string }[] }) => ({ nodeId: items[0]?.node_id ?? '' }));
    expect(nodeId).not.toBe('');
    for (const body of bodies) {
      for (const secret of [TOKEN, app.dataDir, nodeId, app.publicUrl]) expect(body).not.toContain(secret);
    }
  });

  it('serves the error catalogue as a page without a script, with a place for each code', async () => {
    const answer = await get('/errors');
    expect([answer.status, headerOf(answer, 'content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headerOf(answer, 'content-security-policy')).toBe(POLICY);
    expect(headerOf(answer, 'cross-origin-opener-policy')).toBe('same-origin');
    const body = answer.body.toString();
    expect(inlineCode(body)).toEqual([]);
    expect(body).not.toContain('<script');
    const ids = [...body.matchAll(/<section id="([^"]+)">/g)].map(([, id]) => id);
    expect(ids).toEqual(Object.keys(ERRORS));
    expect(body).toContain('Enable it with <code>proofgate apps enable ID</code>.');
    expect(body).not.toContain('`');
    const loaded = [...body.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url);
    expect(assets).toEqual(expect.arrayContaining(loaded));
    for (const secret of [TOKEN, app.dataDir, app.publicUrl]) expect(body).not.toContain(secret);
    const head = await get('/errors', 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect((await get('/errors', 'OPTIONS')).status).toBe(405);
  });

  it('names no address of another origin in its script and its style', async () => {
    for (const name of ['dashboard.js', 'dashboard-style.css']) {
      const text = Buffer.from(await readClientFile(name)).toString();
      // Names of the namespaces of SVG, MathML and HTML, which are no addresses.
      expect(text.replaceAll(/http:\/\/www\.w3\.org\/\d{4}\/(?:svg|xhtml|Math\/MathML)/gi, '')).not.toMatch(
        /https?:\/\//,
      );
      expect(text.length).toBeLessThan(MAX_SCRIPT_BYTES);
    }
  });

  it('answers HEAD like GET, refuses other methods, and OPTIONS', async () => {
    const head = await get('/', 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(headerOf(head, 'content-length')).toBe(String(Buffer.byteLength(html)));
    for (const method of ['OPTIONS', 'POST', 'DELETE']) {
      const answer = await get('/', method);
      expect(answer.status, method).toBe(405);
      expect(headerOf(answer, 'allow'), method).toBe('GET, HEAD');
      expect(headerOf(answer, 'content-type'), method).toBe('application/problem+json');
    }
    expect((await get(assets[0] ?? '', 'OPTIONS')).status).toBe(405);
  });

  it.each([
    '/assets/dashboard.js',
    '/assets/..%2fadmin-token',
    '/assets/',
    '/index.html',
    '//',
    '/wallet',
    '/demo',
  ])('%s is 404 as a problem', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(headerOf(answer, 'content-type')).toBe('application/problem+json');
  });
});

describe('GET /admin/v1/tokens/self', () => {
  it('returns whose token the request has', async () => {
    const app = await startApp({ settings: { 'admin.token': TOKEN } });
    const self = async (token: string) => {
      const answer = await fetch(`${app.adminUrl}/admin/v1/tokens/self`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await self(TOKEN)).toEqual({ status: 200, body: { actor: 'api:config', scope: 'write' } });
    const made = await fetch(`${app.adminUrl}/admin/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'reader', scope: 'read' }),
    });
    const { token, token_id: id } = (await made.json()) as { token: string; token_id: string };
    expect(await self(token)).toEqual({ status: 200, body: { actor: `api:${id}`, scope: 'read' } });
    expect(await self('wrong')).toMatchObject({ status: 401 });
    await app.stop();
  });
});
