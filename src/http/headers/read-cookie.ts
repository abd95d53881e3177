// Any base64url value; anything else is a cookie of another program, or damaged.
const VALUE = /^[A-Za-z0-9_-]{1,128}$/;

/** A cookie of a `Cookie` header. */
export interface Cookie {
  readonly name: string;
  /** Undefined if it is none of this service. */
  readonly value: string | undefined;
}

/** Reads the cookies of a `Cookie` header one by one, in one pass. Those of other programs may have any form. */
export function* readCookies(header: string | undefined): Generator<Cookie> {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const value = part.slice(equals + 1).trim();
    yield { name: part.slice(0, equals).trim(), value: VALUE.test(value) ? value : undefined };
  }
}

/** Reads a cookie of this service from a `Cookie` header; undefined if it is missing, or if the first of its name is malformed. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const cookie of readCookies(header)) if (cookie.name === name) return cookie.value;
  return undefined;
}
