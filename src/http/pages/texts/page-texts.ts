/**
 * Texts of the pages, one file per language, and `pageTexts`, which fills their placeholders. English is the
 * source: its keys are the type of the other files.
 */
import { LANGUAGES, type Language } from '../../../oidc/languages.ts';
import { escapeHtml } from '../../../text.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';
import { JA } from './ja.ts';
import { PT } from './pt.ts';
import type { TextKey, Texts, ValuesArgument } from './texts.ts';

/** Every text in every language. */
export const TEXTS: Readonly<Record<Language, Texts>> = {
  en: EN,
  es: ES,
  de: DE,
  fr: FR,
  pt: PT,
  ja: JA,
};

/** Texts in the language of one page. */
export interface PageTexts {
  readonly language: Language;
  /** Returns plain text, to be escaped before it goes into HTML. */
  text<Key extends TextKey>(key: Key, ...values: ValuesArgument<Key>): string;
  /** Returns HTML. The values must be HTML already. */
  html<Key extends TextKey>(key: Key, ...values: ValuesArgument<Key>): string;
  /** Returns the plain texts of all keys with a prefix, by the rest of the key. */
  group(prefix: string, values: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Returns a duration in words, such as "5 seconds". */
  seconds(count: number): string;
  /** Returns a duration in words, such as "15 minutes". */
  minutes(count: number): string;
  /** Returns the date of a time in milliseconds since the epoch, in UTC: the time zone of the person is unknown. */
  date(at: number): string;
  /** Returns a duration in words, in the largest unit of which it has at least two: days, hours, minutes or seconds. */
  duration(seconds: number): string;
}

/** Units of a duration and their seconds, the largest first. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const BY_LANGUAGE = new Map<Language, PageTexts>();

/** Returns the texts of a language. */
export function pageTexts(language: Language): PageTexts {
  if (!LANGUAGES.includes(language)) throw new Error(`no texts in ${language}`);
  const texts = BY_LANGUAGE.get(language) ?? createTexts(language);
  BY_LANGUAGE.set(language, texts);
  return texts;
}

function createTexts(language: Language): PageTexts {
  const texts = TEXTS[language];
  // Created on first use: most starts need none, and creating all takes about twelve milliseconds.
  const formats = new Map<string, Intl.NumberFormat>();
  const inUnit = (unit: (typeof UNITS)[number][0]): Intl.NumberFormat => {
    const format =
      formats.get(unit) ?? new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
    formats.set(unit, format);
    return format;
  };
  return {
    language,
    text: (key, ...[values]) => fill(texts[key], values),
    html: (key, ...[values]) => fill(escapeHtml(texts[key]), values),
    group: (prefix, values) =>
      Object.fromEntries(
        Object.entries(texts)
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, text]) => [key.slice(prefix.length), fill(text, values)]),
      ),
    seconds: (count) => inUnit('second').format(count),
    minutes: (count) => inUnit('minute').format(count),
    date: (at) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at),
    duration(count) {
      const [unit, length] = UNITS.find(([, one]) => count >= 2 * one) ?? ['second', 1];
      return inUnit(unit).format(Math.floor(count / length));
    },
  };
}

/** Fills placeholders; braces in a value are left as they are. */
function fill(text: string, values: Readonly<Record<string, string>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
