import { describe, expect, it } from 'vitest';
import { prefersHtml } from '../../../src/http/headers/accept.ts';

describe('a page at a URL that API clients use too', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
    ['text/html'],
    ['TEXT/HTML; charset=utf-8'],
    ['text/html, */*'],
    ['text/html;q=0.5, */*;q=0.1'],
    ['application/json;q=0.9, text/html'],
    ['text/html, application/json;q=0'],
  ])('is served for Accept %j', (accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  it.each([
    [undefined],
    [''],
    ['*/*'],
    ['text/*'],
    ['application/json'],
    ['application/json, text/html'],
    ['text/html, application/json'],
    ['text/html;q=0.8, application/json;q=0.9'],
    ['text/html;q=0'],
    ['text/html;q=0, */*'],
    ['text/html;q=0.1, */*;q=0.2'],
    ['application/xhtml+xml'],
    ['text/plain'],
    [';;q,,'],
    [`${'x/y,'.repeat(300)}text/html`],
  ])('is not served for Accept %j', (accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });
});
