// Any base64url value; anything else is a cookie of another program, or damaged.
const VALUE = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Reads a `Cookie` header in one pass, as browsers write it: pairs in the order of the header, names byte for byte
 * (bytes that are not UTF-8 are U+FFFD, and equal no name of this service).
 *
 * @returns Values by name; undefined for a value not in the format of this service, or if the name was sent more than
 *   once. A browser has at most one cookie for a name with the prefix `__Host-`, so of two at least one is planted, and
 *   it is unknown which.
 */
export function readCookies(header: string | undefined): ReadonlyMap<string, string | undefined> {
  const cookies = new Map<string, string | undefined>();
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = withoutOuterSpace(part.slice(0, equals));
    const value = withoutOuterSpace(part.slice(equals + 1));
    cookies.set(name, !cookies.has(name) && VALUE.test(value) ? value : undefined);
  }
  return cookies;
}

/**
 * Removes SP and HTAB at both ends, which browsers remove before they check the prefix of a name (RFC 6265bis section
 * 5.6). A sibling host can set any other name: `String.trim` would turn U+00A0 followed by a `__Host-` name into that
 * name.
 */
function withoutOuterSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start += 1;
  while (start < end && isSpace(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isSpace(text: string, index: number): boolean {
  return text[index] === ' ' || text[index] === '\t';
}
