import { describe, expect, it } from 'vitest';
import { type AssetSource, createAssets } from '../../../src/http/pages/assets.ts';
import { errorBody } from '../../support/error-body.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openListener } from '../../support/server/test-listener.ts';

const BODY = Buffer.from('export const answer = 42;\n');
const SCRIPT = { name: 'page.js', contentType: 'text/javascript; charset=utf-8', body: BODY } as const;
const WORKER: AssetSource<'worker.js'> = {
  name: 'worker.js',
  contentType: 'text/javascript; charset=utf-8',
  body: Buffer.from('postMessage(1);\n'),
  headers: { 'Content-Security-Policy': "default-src 'none'" },
};

async function serve(basePath = '') {
  const assets = createAssets<'page.js' | 'worker.js'>(basePath, [SCRIPT, WORKER]);
  const { port } = await openListener([assets.route]);
  return { assets, port };
}

describe('files whose names contain their hash', () => {
  it('serves a file as immutable, with its type and length', async () => {
    const { assets, port } = await serve();
    const url = assets.url('page.js');
    expect(url).toMatch(/^\/assets\/page\.[0-9a-f]{16}\.js$/);
    const answer = await rawRequest(port, requestText(`GET ${url}`));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(BODY);
    expect(headerOf(answer, 'content-type')).toBe('text/javascript; charset=utf-8');
    expect(headerOf(answer, 'cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
    expect(headerOf(answer, 'content-security-policy')).toBeUndefined();
  });

  it('answers HEAD with the same headers and no body', async () => {
    const { assets, port } = await serve();
    const answer = await rawRequest(port, requestText(`HEAD ${assets.url('page.js')}`));
    expect(answer.status).toBe(200);
    expect(headerOf(answer, 'content-length')).toBe(String(BODY.length));
    expect(headerOf(answer, 'cache-control')).toContain('immutable');
    expect(answer.body).toHaveLength(0);
  });

  it('serves a worker with the Content-Security-Policy of its row', async () => {
    const { assets, port } = await serve();
    const answer = await rawRequest(port, requestText(`GET ${assets.url('worker.js')}`));
    expect(headerOf(answer, 'content-security-policy')).toBe("default-src 'none'");
  });

  it('changes the name only with the content', () => {
    const url = (body: string, basePath = ''): string =>
      createAssets(basePath, [{ ...SCRIPT, body: Buffer.from(body) }]).url('page.js');
    expect(url('a')).toBe(url('a'));
    expect(url('a')).not.toBe(url('b'));
    expect(url('a', '/id')).toBe(`/id${url('a')}`);
  });

  it('serves below the path of the service', async () => {
    const { assets, port } = await serve('/id');
    expect((await rawRequest(port, requestText(`GET ${assets.url('page.js')}`))).status).toBe(200);
    const atRoot = assets.url('page.js').replace('/id', '');
    expect((await rawRequest(port, requestText(`GET ${atRoot}`))).status).toBe(404);
  });

  it.each([
    ['the name without its hash', '/assets/page.js'],
    ['another hash', '/assets/page.0000000000000000.js'],
    ['a path out of the table', '/assets/..%2f..%2fpackage.json'],
    ['a folder below', '/assets/a/page.js'],
    ['the bare folder', '/assets/'],
  ])('answers 404 with the union body and no-store: %s', async (_, path) => {
    const { port } = await serve();
    const answer = await rawRequest(port, requestText(`GET ${path}`));
    expect(answer.status).toBe(404);
    expect(headerOf(answer, 'cache-control')).toBe('no-store');
    expect(JSON.parse(answer.body.toString())).toEqual(
      errorBody('invalid_request', 'not_found', 'Not found.'),
    );
  });

  it('answers 405 to another method', async () => {
    const { assets, port } = await serve();
    const answer = await rawRequest(port, requestText(`POST ${assets.url('page.js')}`));
    expect(answer.status).toBe(405);
    expect(headerOf(answer, 'allow')).toBe('GET, HEAD, OPTIONS');
  });
});
