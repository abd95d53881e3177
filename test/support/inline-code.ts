/** Inline scripts and styles in HTML, which a policy without 'unsafe-inline' blocks. */
const INLINE: readonly RegExp[] = [
  /<script(?![^>]*\ssrc=)[^>]*>/gi,
  /<script[^>]*>[^<]+<\/script>/gi,
  /<style\b/gi,
  /<[a-z][^>]*\sstyle\s*=/gi,
  /<[a-z][^>]*\son[a-z]+\s*=/gi,
  /\b(?:href|src|action)\s*=\s*["']?\s*javascript:/gi,
];

/**
 * Returns each occurrence of an inline script or style once. Escaped text in attribute values does not count.
 */
export function inlineCode(html: string): string[] {
  const places = INLINE.flatMap((pattern) => [...html.matchAll(pattern)]);
  return [...new Map(places.map((place) => [place.index, place[0]])).values()];
}
