import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQuery } from '../../src/http/routes/public/wallet/read-leaf.ts';
import type { WalletConfig } from '../../src/pages.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { inlineCode } from '../support/inline-code.ts';
import { startAppOfTest } from '../support/server/app-of-test.ts';
import { configOf as pageConfig } from '../support/server/html.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';

const configOf = (html: string): WalletConfig => pageConfig(html, 'wallet');

describe('GET /wallet', () => {
  let app: StartedApp;
  let page: Response;
  let html: string;
  beforeAll(async () => {
    // The page has the default settings.
    app = await startApp();
    page = await fetch(`${app.publicUrl}/wallet`);
    html = await page.text();
  });
  afterAll(() => app.stop());

  it('is a page that is marked as development', () => {
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<header class="banner">development</header>');
    expect(html).toContain('<noscript>');
  });

  it('has the headers of every page, and a policy that allows a prover in the browser', () => {
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self' http: https:; base-uri 'none'; frame-ancestors 'none'; worker-src 'self'",
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('x-request-id')).not.toBeNull();
  });

  it('contains nothing that its policy blocks, and loads one script and one stylesheet from its own origin', () => {
    expect(inlineCode(html)).toEqual([]);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
    expect(loaded).toEqual([
      '/favicon.ico',
      expect.stringMatching(/^\/assets\/wallet\.[0-9a-f]{16}\.css$/),
      expect.stringMatching(/^\/assets\/wallet-page\.[0-9a-f]{16}\.js$/),
    ]);
  });

  it('passes all addresses to its script', () => {
    expect(configOf(html)).toEqual({
      basePath: '',
      verifyUrl: '',
      bridgeUrl: 'http://localhost:8080/bridge',
      hasWorldId4: false,
      circuit: { status: 'missing' },
      circuitUrl: '/wallet/api/circuit',
      urls: {
        worker: expect.stringMatching(/^\/assets\/wallet-worker\.[0-9a-f]{16}\.js$/),
        snarkjs: '/wallet/snarkjs.min.js',
        cryptoWasm: expect.stringMatching(/^\/assets\/proofgate\.[0-9a-f]{16}\.wasm$/),
        witnessCode: '/wallet/circuit/semaphore-depth30.wasm',
        provingKey: '/wallet/circuit/semaphore-depth30.zkey',
      },
    });
  });

  it('has no call for World ID 4.0 proofs while that is switched off', async () => {
    const answer = await fetch(`${app.publicUrl}/wallet/api/worldid4-proof`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ app_id: 'app', action: 'vote' }),
    });
    expect(answer.status).toBe(404);
  });

  it.each([
    ['style', 'text/css; charset=utf-8', /href="(\/assets\/[^"]*)"/],
    ['script', 'text/javascript; charset=utf-8', /src="(\/assets\/[^"]*)"/],
  ])('serves its %s under the name that the page has', async (_, type, pattern) => {
    const asset = await fetch(`${app.publicUrl}${pattern.exec(html)?.[1]}`);
    expect(asset.status).toBe(200);
    expect(asset.headers.get('content-type')).toBe(type);
    expect(asset.headers.get('cache-control')).toContain('immutable');
  });

  it('serves the worker with a policy that lets it load snarkjs, compile WASM, and call only its own origin', async () => {
    const worker = await fetch(`${app.publicUrl}${configOf(html).urls.worker}`);
    expect(worker.status).toBe(200);
    expect(worker.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(worker.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    );
  });

  it('serves the WASM module of this repository as application/wasm', async () => {
    const wasm = await fetch(`${app.publicUrl}${configOf(html).urls.cryptoWasm}`);
    expect(wasm.headers.get('content-type')).toBe('application/wasm');
    const artifact = new URL('../../wasm/artifact/scalar.wasm', import.meta.url);
    expect(Buffer.from(await wasm.arrayBuffer()).equals(readFileSync(artifact))).toBe(true);
  });

  it('answers HEAD without a body, whatever the query says', async () => {
    const head = await fetch(`${app.publicUrl}/wallet?t=wld&i=x`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await head.text()).toBe('');
  });

  it('answers 405 to POST and 404 to a path below it, in the union body', async () => {
    const post = await fetch(`${app.publicUrl}/wallet`, { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const below = await fetch(`${app.publicUrl}/wallet/other`);
    expect(below.status).toBe(404);
    expect(await below.json()).toMatchObject({
      error: 'invalid_request',
      code: 'not_found',
      attribute: null,
    });
  });

  it('reports that the circuit is built without a restart', async () => {
    await fakeCircuit(app.dataDir);
    expect(configOf(await (await fetch(`${app.publicUrl}/wallet`)).text()).circuit).toEqual({
      status: 'ready',
    });
  });
});

describe('the wallet of a service with a path', () => {
  it('is below the path of baseUrl only, with all that it loads and calls', async () => {
    const app = await startAppOfTest({ settings: { baseUrl: 'http://localhost:8080/a/id' } });
    expect((await fetch(`${app.publicUrl}/wallet`)).status).toBe(404);
    const page = await fetch(`${app.publicUrl}/a/id/wallet`);
    expect(page.status).toBe(200);
    const html = await page.text();
    const { basePath, verifyUrl, bridgeUrl, urls } = configOf(html);
    expect({ basePath, verifyUrl, bridgeUrl }).toEqual({
      basePath: '/a/id',
      verifyUrl: '/a/id',
      bridgeUrl: 'http://localhost:8080/a/id/bridge',
    });
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, url]) => url);
    const { witnessCode, provingKey, ...present } = urls;
    for (const url of [...loaded, ...Object.values(present), '/a/id/wallet/api/apps']) {
      expect(url).toMatch(/^\/a\/id\//);
      expect((await fetch(`${app.publicUrl}${url}`)).status, url).toBe(200);
    }
    await fakeCircuit(app.dataDir);
    for (const url of [witnessCode, provingKey]) {
      expect((await fetch(`${app.publicUrl}${url}`)).status, url).toBe(200);
    }
  });

  it('calls the verification interface at verifyUrl if that is another address', async () => {
    const app = await startAppOfTest({ settings: { verifyUrl: 'https://verify.example/v' } });
    const html = await (await fetch(`${app.publicUrl}/wallet`)).text();
    expect(configOf(html).verifyUrl).toBe('https://verify.example/v');
  });
});

describe('reading the known parameters of a query', () => {
  it.each([
    ['', {}],
    ['tree=orb&commitment=0x1', { tree: 'orb', commitment: '0x1' }],
    ['tree=a+b%20c', { tree: 'a b c' }],
    ['%74ree=%C3%A4', { tree: 'ä' }],
    ['tree=a=b', { tree: 'a=b' }],
    ['tree=', {}],
    ['tree', {}],
    ['other=1&other=2&tree=orb', { tree: 'orb' }],
    ['__proto__=1&tree=orb', { tree: 'orb' }],
  ])('reads %j', (query, expected) => {
    expect(readQuery(query, ['tree', 'commitment'])).toEqual(expected);
  });

  it('refuses a repeated known parameter, even if one of the two is empty', () => {
    for (const query of ['tree=orb&tree=orb', 'tree=&tree=orb', 'tree=orb&tree']) {
      expect(() => readQuery(query, ['tree'])).toThrow(
        expect.objectContaining({ code: 'signin.repeated_parameter', details: { path: 'tree' } }),
      );
    }
  });

  it.each(['tree=%', 'tree=%zz', 'tree=%ff', '%ff=1'])(
    'refuses %s, which is not percent-encoded UTF-8',
    (query) => {
      expect(() => readQuery(query, ['tree'])).toThrow(
        expect.objectContaining({ code: 'signin.malformed_parameters' }),
      );
    },
  );
});
