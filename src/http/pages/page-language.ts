import { LANGUAGES, type Language, languageOfTag } from '../../oidc/languages.ts';
import { weightedRanges } from '../headers/request-headers.ts';

/** Maximum number of ranges of `Accept-Language` that are read; the rest is ignored. */
const MAX_RANGES = 20;

/**
 * Returns the language of a page: the one requested by the app, else the one that the browser prefers (RFC 9110 section
 * 12.5.4), else English.
 *
 * @param uiLanguage - Language selected by `ui_locales`.
 */
export function pageLanguage(uiLanguage: Language | undefined, acceptLanguage: string | undefined): Language {
  return uiLanguage ?? acceptedLanguage(acceptLanguage ?? '') ?? LANGUAGES[0];
}

/**
 * Returns the language with the highest weight, the first of equal ones; undefined if none of them is
 * supported.
 */
function acceptedLanguage(header: string): Language | undefined {
  const ranges = weightedRanges(header).slice(0, MAX_RANGES);
  const named = ranges.flatMap(({ range: tag, weight }) => {
    const language = languageOfTag(tag);
    return language === undefined ? [] : [{ language, weight }];
  });
  // The range `*` matches the languages that no other range names.
  const others = LANGUAGES.filter((language) => named.every((range) => range.language !== language));
  const all = ranges.flatMap(({ range: tag, weight }) =>
    tag === '*' ? others.slice(0, 1).map((language) => ({ language, weight })) : [],
  );
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const range of [...named, ...all]) {
    if (range.weight > (best?.weight ?? 0)) best = range;
  }
  return best?.language;
}
