/** Text helpers for server and browser code; no Node API and no import. */

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Pattern of a character in a displayed name: no control character (category Cc), none that changes the direction of
 * text (Bidi_Control), and no invisible one of the Basic Multilingual Plane (Default_Ignorable_Code_Point except
 * variation selectors, and annotation). Portable to the regular expressions of other languages.
 *
 * The zero-width joiner and non-joiner are refused as well: whether names in Persian, Indic scripts or with emoji need
 * them depends on properties of neighbouring characters (RFC 5892 appendix A.1) that a pattern cannot express.
 */
export const NAME_CHARACTER =
  '[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]';
/** Pattern of a name. */
export const NAME_PATTERN: string = `^${NAME_CHARACTER}*$`;
/** Requirement of `NAME_PATTERN`, as text after a number of characters. */
export const NAME_RULE = 'without control, direction and invisible characters';

const LONE_SURROGATE = /\p{Cs}/u;
// Controls of shorthand and of music, tags, and code points reserved for such: Default_Ignorable_Code_Point except
// variation selectors.
const INVISIBLE = /[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/u;

/** Returns whether a text contains an unpaired surrogate, which UTF-8 cannot encode. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/**
 * Whether a name that `NAME_PATTERN` accepts contains a character that no portable pattern can exclude: an unpaired
 * surrogate, or an invisible character beyond the Basic Multilingual Plane.
 */
export function hasHiddenCharacter(name: string): boolean {
  return hasLoneSurrogate(name) || INVISIBLE.test(name);
}

/**
 * Returns an address without user, path and query, which many receivers use as a secret: `https://host/…`.
 *
 * @throws TypeError for a text that is not a URL
 */
export function maskedAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? origin : `${origin}/…`;
}

/** Formats a time in UTC as ISO 8601 with milliseconds. @param time - Milliseconds since the epoch. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;
/** Largest time of a Date. */
const MAX_TIME = 8.64e15;

/** The forms that `parseTime` accepts, for messages. */
export const TIME_FORMS = 'whole milliseconds since 1970, or ISO 8601 like 2026-01-15T09:30:00Z';

/**
 * Parses a time as milliseconds since the epoch: a whole number of milliseconds (number or digits), or ISO 8601 with `Z`
 * or an offset; a date alone is the start of that day in UTC.
 *
 * @returns undefined for anything else.
 */
export function parseTime(value: unknown): number | undefined {
  let time: number | undefined;
  if (typeof value === 'number') time = value;
  else if (typeof value !== 'string') return undefined;
  else if (/^\d{1,16}$/.test(value)) time = Number(value);
  else if (ISO.test(value)) time = Date.parse(value);
  return Number.isInteger(time) && time !== undefined && time >= 0 && time <= MAX_TIME ? time : undefined;
}

/** Formats seconds as minutes and seconds, such as `4:05`. */
export function formatTimeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
