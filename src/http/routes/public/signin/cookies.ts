/**
 * The cookies of sign-in (spec/sign-in.md#cookies): one per open sign-in of a browser, one per session. Browsers accept
 * a cookie with the prefix `__Host-` only from the host itself, with `Secure` and for all paths, so no sibling host can
 * plant one.
 */

export const MAX_OPEN_SIGN_INS = 32;
/** Maximum number of cookies that one answer removes: reverse proxies limit the head of an answer, some to 4 kB. */
const MAX_REMOVED = 8;
const TXN_PREFIX = '__Host-pg_txn_';
const TXN_NAME = /^__Host-pg_txn_[A-Za-z0-9_-]{16}$/;
const TXN_DIGITS = 16;
const SESSION_PREFIX = '__Host-pg_session_';
const SESSION_NAME = /^__Host-pg_session_(app_(?:staging_)?[0-9a-f]{32})$/;
const KNOWN_PREFIX = '__Host-pg_known_';
/** Maximum number of clients that recognise a browser: about 2,500 bytes of the head of a request. */
const MAX_KNOWN = 24;
/** Maximum number of session cookies that are read from a request without a named app; bounds its store reads. */
const MAX_SESSIONS = 20;

/**
 * Returns the name of the cookie of a sign-in. Each sign-in has its own cookie, so that several tabs can sign in at the
 * same time.
 */
export function transactionCookieName(txn: string): string {
  return `${TXN_PREFIX}${txn.slice(0, TXN_DIGITS)}`;
}

/** Reads the cookie of a sign-in from a `Cookie` header; undefined if it is missing, malformed or duplicated. */
export function readTransactionCookie(header: string | undefined, txn: string): string | undefined {
  return readCookies(header).get(transactionCookieName(txn));
}

/** Reads the cookies of the latest 32 sign-ins of a browser from a `Cookie` header; malformed ones are left out. */
export function readTransactionCookies(header: string | undefined): string[] {
  const cookies = [...readCookies(header)].filter(([name]) => TXN_NAME.test(name));
  return cookies.slice(-MAX_OPEN_SIGN_INS).flatMap(([, value]) => (value === undefined ? [] : [value]));
}

/** Returns the value of `Set-Cookie` that ties a sign-in to the browser that began it. */
export function setTransactionCookie(txn: string, cookie: string, maxAgeSeconds: number): string {
  return setCookie(transactionCookieName(txn), cookie, maxAgeSeconds);
}

/**
 * Returns the values of `Set-Cookie` that remove the oldest sign-ins of a browser to allow another one. The first
 * cookies of a header are the oldest (RFC 6265bis section 5.8.3).
 */
export function removeOldTransactionCookies(header: string | undefined): string[] {
  const names = [...readCookies(header).keys()].filter((name) => TXN_NAME.test(name));
  const excess = Math.max(0, names.length + 1 - MAX_OPEN_SIGN_INS);
  return names.slice(0, Math.min(excess, MAX_REMOVED)).map((name) => setCookie(name, '', 0));
}

/** Reads the first 20 cookies of sessions from a `Cookie` header, by client. Malformed ones count but are left out. */
export function readSessionCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  let count = 0;
  for (const [name, value] of readCookies(header)) {
    const clientId = SESSION_NAME.exec(name)?.[1];
    if (clientId === undefined) continue;
    if (value !== undefined) cookies.set(clientId, value);
    count += 1;
    if (count === MAX_SESSIONS) break;
  }
  return cookies;
}

/**
 * Reads the cookie of a client's session from a `Cookie` header; undefined if it is missing, malformed or duplicated.
 */
export function readSessionCookie(header: string | undefined, clientId: string): string | undefined {
  return readCookies(header).get(SESSION_PREFIX + clientId);
}

/** Returns the value of `Set-Cookie` for a session of a client. */
export function setSessionCookie(clientId: string, cookie: string, maxAgeSeconds: number): string {
  return setCookie(SESSION_PREFIX + clientId, cookie, maxAgeSeconds);
}

/** Returns the value of `Set-Cookie` that removes the cookie of a client's session. */
export function removeSessionCookie(clientId: string): string {
  return setCookie(SESSION_PREFIX + clientId, '', 0);
}

/**
 * Reads the cookie by which a browser is recognised by a client; undefined if it is missing, malformed or duplicated.
 */
export function readKnownCookie(header: string | undefined, clientId: string): string | undefined {
  return readCookies(header).get(KNOWN_PREFIX + clientId);
}

/** Returns the value of `Set-Cookie` by which a browser is recognised by a client. */
export function setKnownCookie(clientId: string, cookie: string, maxAgeSeconds: number): string {
  return setCookie(KNOWN_PREFIX + clientId, cookie, maxAgeSeconds);
}

/** Returns the value of `Set-Cookie` after which a browser is not recognised by a client. */
export function removeKnownCookie(clientId: string): string {
  return setCookie(KNOWN_PREFIX + clientId, '', 0);
}

/** Returns the values of `Set-Cookie` that remove the oldest of these cookies to allow another one. */
export function removeOldKnownCookies(header: string | undefined): string[] {
  const names = [...readCookies(header).keys()].filter((name) => name.startsWith(KNOWN_PREFIX));
  const excess = Math.max(0, names.length + 1 - MAX_KNOWN);
  return names.slice(0, Math.min(excess, MAX_REMOVED)).map((name) => setCookie(name, '', 0));
}

/** With `Lax` a cookie is sent on a navigation from an app, but not from a frame of another site. */
function setCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax; Secure`;
}

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
