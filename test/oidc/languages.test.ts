// Rules: spec/sign-in.md#languages
import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOfTag, readUiLocales } from '../../src/oidc/languages.ts';

describe('a language tag', () => {
  it.each(LANGUAGES)('selects %s, with or without region and script, in any case', (language) => {
    expect(languageOfTag(language)).toBe(language);
    expect(languageOfTag(language.toUpperCase())).toBe(language);
    expect(languageOfTag(`${language}-CH-1996`)).toBe(language);
    expect(languageOfTag(`${language}-Latn-419`)).toBe(language);
  });

  it.each([
    '',
    'd',
    'deu',
    'den',
    'zh',
    'e',
    '-de',
    'de-',
    'de_DE',
    'de-€',
    'de DE',
    '*',
    'constructor',
    'x-de',
  ])('selects no language if it is %j', (tag) => {
    expect(languageOfTag(tag)).toBeUndefined();
  });

  it('selects no language if it is longer than any registered tag', () => {
    const longest = `de${'-abcdefgh'.repeat(3)}-abcde`;
    expect(longest).toHaveLength(35);
    expect(languageOfTag(longest)).toBe('de');
    expect(languageOfTag(`${longest}f`)).toBeUndefined();
  });
});

describe('ui_locales', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['se', undefined],
    ['fr', 'fr'],
    ['fr-CA fr en', 'fr'],
    ['zh-Hant ja en', 'ja'],
    ['  es', 'es'],
    ['<script> pt-BR', 'pt'],
    ['de,fr', undefined],
  ])('%j selects %j, the first supported language', (uiLocales, language) => {
    expect(readUiLocales(uiLocales)).toBe(language);
  });

  it('is read up to the twentieth tag', () => {
    expect(readUiLocales(`${'zh '.repeat(19)}de`)).toBe('de');
    expect(readUiLocales(`${'zh '.repeat(20)}de`)).toBeUndefined();
  });
});
