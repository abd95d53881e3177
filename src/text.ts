/** Helpers over texts for the server and the browser code; nothing of Node, no import. */

/** Message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A time in UTC, ISO 8601 with milliseconds. @param time - Milliseconds since the epoch. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it can stand between tags and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
