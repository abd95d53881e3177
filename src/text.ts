/** Text helpers for server and browser code; no Node API and no import. */

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Pattern of a text without control characters (category Cc, written so that other languages read it, too). */
export const NAME_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

const LONE_SURROGATE = /\p{Cs}/u;

/** Returns whether a text has a surrogate without its other half, which UTF-8 cannot hold. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/**
 * Returns an address without user, path and query, which at many receivers are a password: `https://host/…`.
 *
 * @throws TypeError for a text that is no URL
 */
export function maskedAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? origin : `${origin}/…`;
}

/** Formats a time in UTC as ISO 8601 with milliseconds. @param time - Milliseconds since the epoch. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
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
