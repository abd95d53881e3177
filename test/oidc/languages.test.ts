import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOfTag, readUiLocales } from '../../src/oidc/languages.ts';

describe('a language tag', () => {
  it.each(LANGUAGES)('%s names itself, with or without region and script, in any case', (language) => {
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
  ])('%j names none of the pages', (tag) => {
    expect(languageOfTag(tag)).toBeUndefined();
  });

  it('longer than any registered one names none', () => {
    expect(languageOfTag(`de${'-abcdefgh'.repeat(3)}`)).toBe('de');
    expect(languageOfTag(`de${'-abcdefgh'.repeat(4)}`)).toBeUndefined();
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
  ])('%j is %j: the first that there are pages in', (uiLocales, language) => {
    expect(readUiLocales(uiLocales)).toBe(language);
  });

  it('is looked at for twenty tags and no more', () => {
    expect(readUiLocales(`${'zh '.repeat(19)}de`)).toBe('de');
    expect(readUiLocales(`${'zh '.repeat(20)}de`)).toBeUndefined();
  });
});
