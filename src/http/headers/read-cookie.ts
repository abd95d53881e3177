// Any base64url value; anything else is a cookie of another program, or damaged.
const VALUE = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Reads a cookie of this service from a `Cookie` header; undefined if it is missing or malformed. Other cookies may
 * have any form.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0 || part.slice(0, equals).trim() !== name) continue;
    const value = part.slice(equals + 1).trim();
    return VALUE.test(value) ? value : undefined;
  }
  return undefined;
}
