import { isLoopback } from './schema.ts';
import type { Profile } from './types.ts';

// A semicolon would end the path of a cookie, a colon would be a parameter of a route, and two slashes at the start of
// a path are another host.
const PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,=@%-]+)*$/;

/**
 * What speaks against a public address beside its pattern (signin.md section 3): it is the issuer, which clients compare
 * byte for byte with what they make of it, and it goes into headers, cookies and routes.
 *
 * @returns Undefined for one that can be used. That production wants https is told with its other refusals.
 */
export function baseUrlFault(baseUrl: string, profile: Profile): string | undefined {
  const got = `got ${JSON.stringify(baseUrl)}`;
  if (!URL.canParse(baseUrl)) return `expected an address that a browser can open, ${got}`;
  const { protocol, username, password, hostname, origin, pathname } = new URL(baseUrl);
  if (username !== '' || password !== '') return 'expected no user name or password, got one';
  const path = pathname === '/' ? '' : pathname;
  if (!PATH.test(path)) {
    return `expected a path of one or more segments of letters, digits and -._~!$&'()*+,=@%, ${got}`;
  }
  if (`${origin}${path}` !== baseUrl) {
    return `expected it as browsers and clients write it, ${JSON.stringify(`${origin}${path}`)}, since the issuer is compared byte for byte; ${got}`;
  }
  // The address of an IPv6 host is in brackets.
  if (protocol === 'http:' && profile !== 'production' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    return `expected https, or http on localhost, 127.0.0.1 or [::1], ${got}`;
  }
  return undefined;
}
