/** Decodes the character references of a text in HTML. */
export function unescapeHtml(text: string): string {
  return text
    .replace(/&#(?:x([0-9a-f]+)|([0-9]+));/gi, (_, hex?: string, digits?: string) =>
      String.fromCodePoint(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
    )
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Returns the configuration that a page passes to its script in `data-config` of an element. */
export function configOf<T>(html: string, id: string): T {
  const escaped = new RegExp(`<main id="${id}" data-config="([^"]*)">`).exec(html)?.[1] ?? '';
  return JSON.parse(unescapeHtml(escaped)) as T;
}
