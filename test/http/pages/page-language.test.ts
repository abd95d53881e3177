// Rules: spec/sign-in.md#languages
import { describe, expect, it } from 'vitest';
import { pageLanguage } from '../../../src/http/pages/page-language.ts';

describe('the language of a page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['zh', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.8, es-MX', 'es'],
    ['zh-TW, ja;q=0.7, fr;q=0.71', 'fr'],
    ['fr;q=0.5, de;q=0.5', 'fr'],
    ['fr;q=0', 'en'],
    ['fr;q=0, de;q=0.001', 'de'],
    ['en;q=0, *', 'es'],
    ['*', 'en'],
    ['*;q=0.5, pt;q=0.4', 'en'],
    ['*;q=0, pt', 'pt'],
    ['fr;q=2, de;q=0.9', 'fr'],
    ['fr;Q=0.1,de;q=0.2', 'de'],
    [' , ;q=1,de', 'de'],
    ['../../etc/passwd', 'en'],
  ])('for Accept-Language %j is %s', (header, language) => {
    expect(pageLanguage(undefined, header)).toBe(language);
  });

  it('is the one that the app requested, whatever the browser prefers', () => {
    expect(pageLanguage('ja', 'de')).toBe('ja');
  });

  it('is searched for in at most twenty ranges', () => {
    expect(pageLanguage(undefined, `${'zh,'.repeat(19)}de`)).toBe('de');
    expect(pageLanguage(undefined, `${'zh,'.repeat(20)}de`)).toBe('en');
  });
});
