import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageTexts, TEXTS } from '../../../src/http/pages/texts/page-texts.ts';
import type { TextKey, Texts } from '../../../src/http/pages/texts/texts.ts';
import { LANGUAGES } from '../../../src/oidc/languages.ts';
import { SOURCES, sourceFiles } from '../../support/module-graph.ts';

const OTHERS = LANGUAGES.filter((language) => language !== 'en');
const KEYS = Object.keys(TEXTS.en) as TextKey[];
/** Texts that are the same in another language as in English. */
const SAME_WORD: Readonly<Record<string, readonly TextKey[]>> = {
  de: ['error.code', 'landing.links', 'known.passkeys', 'known.passkey'],
  fr: ['error.message', 'error.code'],
  pt: ['landing.links'],
  es: [],
  ja: [],
};

function namesIn(text: string): string[] {
  return [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name ?? '').sort();
}

/** Keys of the texts that match. */
function keysWhere(texts: Texts, matches: (key: TextKey, text: string) => boolean): TextKey[] {
  return KEYS.filter((key) => matches(key, texts[key]));
}

describe.each(OTHERS)('the texts in %s', (language) => {
  const texts = TEXTS[language];

  it('have the keys of English in the same order, none missing and none extra', () => {
    expect(Object.keys(texts)).toEqual(KEYS);
  });

  it('have the same placeholders', () => {
    expect(keysWhere(texts, (key, text) => `${namesIn(text)}` !== `${namesIn(TEXTS.en[key])}`)).toEqual([]);
  });

  it('are translated', () => {
    const same = keysWhere(texts, (key, text) => text === TEXTS.en[key]);
    expect(same.filter((key) => !SAME_WORD[language]?.includes(key))).toEqual([]);
  });
});

describe.each(LANGUAGES)('every text in %s', (language) => {
  it('is not empty, and is plain text without stray spaces', () => {
    expect(
      keysWhere(
        TEXTS[language],
        (_, text) => text.trim() !== text || text === '' || /[<>&"]| {2}/.test(text),
      ),
    ).toEqual([]);
  });

  it('ends a sentence as English does', () => {
    const endOf = (text: string): string => /[.。…]$/.exec(text)?.[0].replace('。', '.') ?? '';
    const endsDifferently = (key: TextKey, text: string): boolean => endOf(text) !== endOf(TEXTS.en[key]);
    expect(keysWhere(TEXTS[language], endsDifferently)).toEqual([]);
  });
});

describe('the keys of the texts', () => {
  // The script of the sign-in page receives this group as a whole.
  const isOfGroup = (key: TextKey): boolean => key.startsWith('state.');

  it('are each used by a page', () => {
    const code = sourceFiles()
      .filter((file) => file.startsWith('http/') && !file.startsWith('http/pages/texts/'))
      .map((file) => readFileSync(new URL(file, SOURCES), 'utf8'))
      .join('\n');
    expect(KEYS.filter((key) => !isOfGroup(key) && !code.includes(`'${key}'`))).toEqual([]);
  });
});

describe('a text', () => {
  const texts = pageTexts('en');

  it('is filled in once: braces and dollar signs in a value stay unchanged', () => {
    expect(texts.text('signin.title', { client: '{client} $& $1' })).toBe('Sign in to {client} $& $1');
  });

  it('accepts HTML values when rendered as HTML', () => {
    expect(texts.html('signin.returnsTo', { host: '<b>shop.example</b>' })).toBe(
      'Afterwards you return to <b>shop.example</b>.',
    );
    expect(pageTexts('fr').html('site.terms')).toBe('Conditions d’utilisation');
  });

  it.each([
    ['en', '1 second', '5 seconds'],
    ['es', '1 segundo', '5 segundos'],
    ['de', '1 Sekunde', '5 Sekunden'],
    ['fr', '1\u00a0seconde', '5\u00a0secondes'],
    ['pt', '1 segundo', '5 segundos'],
    ['ja', '1 秒', '5 秒'],
  ] as const)('formats seconds in %s', (language, one, five) => {
    expect([pageTexts(language).seconds(1), pageTexts(language).seconds(5)]).toEqual([one, five]);
  });
});
