import { describe, expect, it } from 'vitest';
import { basePathOf } from '../../../src/config/values/public-address.ts';
import { readClientFile } from '../../../src/http/pages/assets.ts';
import { pageHeaders, renderPage } from '../../../src/http/pages/render-page.ts';
import { escapeHtml } from '../../../src/text.ts';
import { inlineCode } from '../../support/inline-code.ts';

const EVIL = `"><script>alert('1')</script>&amp;`;

it('escaping replaces every character with a meaning in HTML, and escapes entities again', () => {
  expect(escapeHtml(EVIL)).toBe('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;');
  expect(escapeHtml('Jörg ♥ 漢字')).toBe('Jörg ♥ 漢字');
});

describe('the shell of a page', () => {
  const parts = {
    title: 'Sign in',
    styleUrl: '/assets/a.css',
    scriptUrl: '/assets/a.js',
    body: '<main></main>',
  };

  it('is a document in English with one script and one stylesheet, and nothing inline', () => {
    const html = renderPage({ ...parts, banner: 'development' });
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html.match(/<script /g)).toHaveLength(1);
    expect(html.match(/rel="stylesheet"/g)).toHaveLength(1);
    expect(html).toContain('<script type="module" src="/assets/a.js"></script>');
    expect(html).toContain('<link rel="stylesheet" href="/assets/a.css">');
    expect(html).toContain('name="viewport" content="width=device-width, initial-scale=1"');
    expect(html).toContain('<header class="banner">development</header>\n<main></main>');
    expect(inlineCode(html)).toEqual([]);
  });

  it('has no banner when none is given', () => {
    expect(renderPage(parts)).not.toContain('banner');
  });

  it('escapes title, banner and addresses', () => {
    const html = renderPage({ ...parts, title: EVIL, banner: EVIL, styleUrl: EVIL, scriptUrl: EVIL });
    expect(html.split(escapeHtml(EVIL))).toHaveLength(5);
    expect(html).not.toContain(EVIL);
    expect(html.match(/<script/g)).toHaveLength(1);
  });
});

describe('inlineCode, the helper of these tests', () => {
  it.each([
    '<script>x()</script>',
    '<script src="a.js">x()</script>',
    '<style>a{}</style>',
    '<p style="color:red">',
    '<p onclick="x()">',
    '<a href="javascript:x()">',
  ])('finds %s', (html) => {
    expect(inlineCode(`<body>${html}</body>`)).toHaveLength(1);
  });
});

describe('headers of a page', () => {
  it('are those of the sign-in page', () => {
    expect(pageHeaders()).toEqual({
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'Cache-Control': 'no-store',
    });
  });

  it('combine the common directives with those of one page, which take precedence', () => {
    const { 'Content-Security-Policy': policy } = pageHeaders({
      'script-src': "'self' 'wasm-unsafe-eval'",
      'worker-src': "'self'",
    });
    expect(policy).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; worker-src 'self'",
    );
  });
});

describe('parts of a page', () => {
  it('names the build command when the browser code is not built', async () => {
    const missing = readClientFile('no-such-page.js');
    await expect(missing).rejects.toMatchObject({ code: 'page.not_built' });
    await expect(missing).rejects.toThrow('dist/client/no-such-page.js is not readable: run `npm run build`');
  });

  it.each([
    ['http://localhost:8080', ''],
    ['https://id.example/', ''],
    ['https://id.example/a/b', '/a/b'],
  ])('the path of %s is "%s"', (url, path) => {
    expect(basePathOf(url)).toBe(path);
  });
});
