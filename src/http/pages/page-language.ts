import { LANGUAGES, type Language, languageOfTag } from '../../oidc/languages.ts';
import { weightedRanges } from '../headers/accept.ts';

/** Most ranges of one `Accept-Language` that are looked at. */
const MAX_RANGES = 20;

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
  const ranges = weightedRanges(header).slice(0, MAX_RANGES);
  const named = ranges.flatMap(({ range: tag, weight }) => {
    const language = languageOfTag(tag);
    return language === undefined ? [] : [{ language, weight }];
  });
  // A range for everything stands for the languages that no range names.
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
