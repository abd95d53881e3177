/** Path of a public address: empty, or `/…` without a slash at the end. Routes of pages and their calls lie below it. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}
