import { readCookie, readCookies } from '../../../headers/read-cookie.ts';

/**
 * Returns the name of the cookie of a client's sessions (spec/sign-in.md#session-cookie). Browsers take a cookie with
 * this prefix only from the host itself, over https or from the loopback address.
 */
export function sessionCookieName(clientId: string): string {
  return `__Host-pg_session_${clientId}`;
}

/** Cookies of sessions that are read of one request without a named app; bounds its reads. */
const MAX_SESSIONS = 20;
const NAME = /^__Host-pg_session_(app_(?:staging_)?[0-9a-f]{32})$/;

/** Reads the first 20 cookies of sessions from a `Cookie` header, by client. Malformed ones count, and are left out. */
export function readSessionCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string | undefined>();
  let count = 0;
  for (const { name, value } of readCookies(header)) {
    const clientId = NAME.exec(name)?.[1];
    if (clientId === undefined) continue;
    if (!cookies.has(clientId)) cookies.set(clientId, value);
    count += 1;
    if (count === MAX_SESSIONS) break;
  }
  return new Map([...cookies].filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Reads the cookie of a client's session from a `Cookie` header; undefined if it is missing or malformed. */
export function readSessionCookie(header: string | undefined, clientId: string): string | undefined {
  return readCookie(header, sessionCookieName(clientId));
}

/**
 * Returns the value of `Set-Cookie` for a session. With `Lax` it is also sent when an app sends the browser here, and
 * not from a frame of another site.
 *
 * @param cookie - Empty to delete it.
 * @param maxAgeSeconds - 0 deletes it.
 */
export function setSessionCookie(clientId: string, cookie: string, maxAgeSeconds: number): string {
  return `${sessionCookieName(clientId)}=${cookie}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax; Secure`;
}
