/** What of a page a policy without 'unsafe-inline' would stop: script and style that stand in the HTML itself. */
const INLINE: readonly RegExp[] = [
  /<script(?![^>]*\ssrc=)[^>]*>/gi,
  /<script[^>]*>[^<]+<\/script>/gi,
  /<style\b/gi,
  /<[a-z][^>]*\sstyle\s*=/gi,
  /<[a-z][^>]*\son[a-z]+\s*=/gi,
  /\b(?:href|src|action)\s*=\s*["']?\s*javascript:/gi,
];

/** Each place of a page with inline script or style, once; attribute values that hold escaped text are no such place. */
export function inlineCode(html: string): string[] {
  const places = INLINE.flatMap((pattern) => [...html.matchAll(pattern)]);
  return [...new Map(places.map((place) => [place.index, place[0]])).values()];
}
