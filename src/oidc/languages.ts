/** Languages of the pages of sign-in (BCP 47), the first one where none is asked for. */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'pt', 'ja'] as const;

/** A language of the pages. */
export type Language = (typeof LANGUAGES)[number];

/** Longest tag that is looked at: every registered one is far shorter (RFC 5646 section 4.4.1). */
const MAX_TAG_CHARACTERS = 35;
const PRIMARY_SUBTAG = /^([A-Za-z]{2,8})(?:-[A-Za-z0-9]{1,8})*$/;
/** Most tags of one `ui_locales` that are looked at. */
const MAX_TAGS = 20;

/**
 * Language of the pages for a language tag: lookup of RFC 4647 section 3.4, which comes down to the primary subtag
 * because no page is written for a region.
 */
export function languageOfTag(tag: string): Language | undefined {
  if (tag.length > MAX_TAG_CHARACTERS) return undefined;
  const primary = PRIMARY_SUBTAG.exec(tag)?.[1]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}

/**
 * The first tag of `ui_locales` that there are pages in. Anything else in it is no error (OpenID Connect Core 1.0,
 * section 3.1.2.1).
 */
export function readUiLocales(uiLocales: string | undefined): Language | undefined {
  for (const tag of (uiLocales ?? '').split(' ', MAX_TAGS)) {
    const language = languageOfTag(tag);
    if (language !== undefined) return language;
  }
  return undefined;
}
