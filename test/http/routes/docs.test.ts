/** The page over a raw socket. Rules: src/docs/spec/operations.md#openapi. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import { inlineCode } from '../../support/inline-code.ts';
import { opened } from '../../support/opened.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";
const FILES = ['docs-page.HASH.js', 'favicon.HASH.svg', 'swagger-ui.HASH.css', 'swagger-ui.HASH.js'];
const SHIPPED = { 'swagger-ui.HASH.js': 'swagger-ui-bundle.js', 'swagger-ui.HASH.css': 'swagger-ui.css' };

describe.each([
  { name: 'the admin listener', url: (app: StartedApp) => app.adminUrl, base: '' },
  { name: 'the public listener below a path', url: (app: StartedApp) => app.publicUrl, base: '/id' },
])('GET /docs of $name', ({ url, base }) => {
  let port: number;
  let html: string;
  let files: Map<string, string>;
  const get = (path: string, method = 'GET') => rawRequest(port, requestText(`${method} ${path}`));
  const app = opened(() => startApp({ settings: { baseUrl: 'http://localhost:8080/id' } }), 'stop');
  beforeAll(async () => {
    port = Number(new URL(url(app)).port);
    html = (await get(`${base}/docs`)).body.toString();
    files = new Map(
      [...html.matchAll(/="([^"]+\/assets\/([^"]+))"/g)].map(([, path = '', name = '']) => [
        name.replace(/\b[0-9a-f]{16}\b/, 'HASH'),
        path,
      ]),
    );
  });

  it('is a page without inline code whose policy allows nothing but its own origin', async () => {
    const answer = await get(`${base}/docs`);
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-type')).toBe('text/html; charset=utf-8');
    expect(headerOf(answer, 'content-security-policy')).toBe(POLICY);
    expect(headerOf(answer, 'x-frame-options')).toBe('DENY');
    expect(headerOf(answer, 'cross-origin-opener-policy')).toBe('same-origin');
    expect(headerOf(answer, 'set-cookie')).toBeUndefined();
    expect(inlineCode(html)).toEqual([]);
    expect(html).toContain(`data-document-url="${base}/openapi.json"`);
  });

  it('loads its script, the files of swagger-ui-dist as shipped and an icon, all immutable', async () => {
    expect([...files.keys()].sort()).toEqual(FILES);
    for (const [name, path] of files) {
      expect(path.startsWith(`${base}/docs/assets/`)).toBe(true);
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(headerOf(answer, 'cache-control')).toBe('public, max-age=31536000, immutable');
      const head = await get(path, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(headerOf(head, 'content-length')).toBe(String(answer.body.length));
      const source = SHIPPED[name as keyof typeof SHIPPED];
      if (source === undefined) continue;
      const shipped = createRequire(import.meta.url).resolve(`swagger-ui-dist/${source}`);
      const bytes = readFileSync(shipped);
      expect(answer.body.subarray(0, bytes.length).equals(bytes), name).toBe(true);
    }
  });

  it('answers HEAD like GET, and refuses other methods', async () => {
    const head = await get(`${base}/docs`, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(headerOf(head, 'content-length')).toBe(String(Buffer.byteLength(html)));
    for (const method of ['OPTIONS', 'POST']) {
      const answer = await get(`${base}/docs`, method);
      expect([answer.status, headerOf(answer, 'allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each(['/docs/', '/docs/assets/swagger-ui.js', '/docs/assets/..%2fpackage.json'])(
    '%s is 404',
    async (path) => {
      expect((await get(`${base}${path}`)).status).toBe(404);
    },
  );
});

describe('docs.enabled set to false', () => {
  it('removes the page of the public listener, and leaves that of the admin listener', async () => {
    const app = await startApp({ settings: { 'docs.enabled': 'false' } });
    const landing = await fetch(app.publicUrl, { headers: { accept: 'application/json' } });
    expect(await landing.json()).not.toHaveProperty('api_reference');
    const statuses = [app.publicUrl, app.adminUrl].map(async (url) => (await fetch(`${url}/docs`)).status);
    expect(await Promise.all(statuses)).toEqual([404, 200]);
    await app.stop();
  });
});
