import { LANGUAGES, type Language, languageOfTag } from '../../oidc/languages.ts';

/** Most ranges of one `Accept-Language` that are looked at. */
const MAX_RANGES = 20;
// RFC 9110 section 12.4.2
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Language of a page: what the app asked for, else what the browser prefers (RFC 9110 section 12.5.4), else English.
 *
 * @param uiLanguage - Language that `ui_locales` came to.
 */
export function pageLanguage(uiLanguage: Language | undefined, acceptLanguage: string | undefined): Language {
  return uiLanguage ?? acceptedLanguage(acceptLanguage ?? '') ?? LANGUAGES[0];
}

/** The language with the highest weight, of equal ones the first; undefined when there are pages in none of them. */
function acceptedLanguage(header: string): Language | undefined {
  const ranges = header.split(',', MAX_RANGES).map(rangeOf);
  const named = ranges.flatMap(({ tag, weight }) => {
    const language = languageOfTag(tag);
    return language === undefined ? [] : [{ language, weight }];
  });
  // A range for everything stands for the languages that no range names.
  const others = LANGUAGES.filter((language) => named.every((range) => range.language !== language));
  const all = ranges.flatMap(({ tag, weight }) =>
    tag === '*' ? others.slice(0, 1).map((language) => ({ language, weight })) : [],
  );
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const range of [...named, ...all]) {
    if (range.weight > (best?.weight ?? 0)) best = range;
  }
  return best?.language;
}

function rangeOf(text: string): { readonly tag: string; readonly weight: number } {
  const [tag = '', parameter] = text.split(';', 2).map((part) => part.trim());
  // What is no weight says nothing.
  return { tag, weight: parameter === undefined ? 1 : Number(WEIGHT.exec(parameter)?.[1] ?? 1) };
}
