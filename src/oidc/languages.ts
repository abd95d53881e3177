/** Languages of the sign-in pages (BCP 47); the first is the default. */
export const LANGUAGES = ['en', 'es', 'de', 'fr', 'pt', 'ja'] as const;

/** A language of the pages. */
export type Language = (typeof LANGUAGES)[number];

/** Longest tag that is read: every registered tag is far shorter (RFC 5646 section 4.4.1). */
const MAX_TAG_CHARACTERS = 35;
const PRIMARY_SUBTAG = /^([A-Za-z]{2,8})(?:-[A-Za-z0-9]{1,8})*$/;
/** Maximum number of tags of one `ui_locales` that are read. */
const MAX_TAGS = 20;

/**
 * Returns the language of the pages for a language tag, by the lookup of RFC 4647 section 3.4. Only the
 * primary subtag matters, because no page is specific to a region.
 */
export function languageOfTag(tag: string): Language | undefined {
  if (tag.length > MAX_TAG_CHARACTERS) return undefined;
  const primary = PRIMARY_SUBTAG.exec(tag)?.[1]?.toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}

/**
 * Returns the language of the first tag of `ui_locales` that has pages. Other tags are not an error (OpenID
 * Connect Core 1.0, section 3.1.2.1).
 */
export function readUiLocales(uiLocales: string | undefined): Language | undefined {
  for (const tag of (uiLocales ?? '').split(' ', MAX_TAGS)) {
    const language = languageOfTag(tag);
    if (language !== undefined) return language;
  }
  return undefined;
}
