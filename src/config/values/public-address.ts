import { isLoopback } from '../settings/schema.ts';
import type { Profile } from '../settings/setting.ts';

// A semicolon would end the path of a cookie, a colon would start a route parameter, and two leading slashes would
// denote another host.
const PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,=@%-]+)*$/;
/** Browsers ignore a cookie whose `Path` has more than 1,024 octets; the paths of the routes are appended to this one. */
const MAX_PATH_CHARACTERS = 512;
const ESCAPES = /(?:%[0-9A-F]{2})+/g;

/**
 * Checks that an interface can be served at a public address. Paths are compared byte for byte, so the path must be
 * spelled as browsers, proxies and clients send it.
 *
 * @param address - Matches the pattern of URL settings: no query, fragment or trailing slash.
 * @returns The expectation as text, or undefined for a valid address.
 */
export function publicAddressFault(address: string): string | undefined {
  return addressFault(address, (_url, path) =>
    writtenPath(address) === path
      ? undefined
      : `expected the path in the form that browsers and clients send, ${JSON.stringify(path)}, got ${JSON.stringify(address)}`,
  );
}

/**
 * Checks the address of sign-in. It is also the issuer, which clients normalise and compare byte for byte, and which is
 * written into headers.
 *
 * @returns The expectation as text, or undefined for a valid address. The requirement of https in production is
 *   reported with its other refusals.
 */
export function baseUrlFault(baseUrl: string, profile: Profile): string | undefined {
  const fault = addressFault(baseUrl, ({ origin }, path) => {
    const normal = `${origin}${path}`;
    return normal === baseUrl
      ? undefined
      : `expected the form that browsers and clients use, ${JSON.stringify(normal)}, since the issuer is compared byte for byte; got ${JSON.stringify(baseUrl)}`;
  });
  if (fault !== undefined || profile === 'production') return fault;
  const { protocol, hostname } = new URL(baseUrl);
  // IPv6 addresses are in brackets.
  if (protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    return `expected https, or http on localhost, 127.0.0.1 or [::1], got ${JSON.stringify(baseUrl)}`;
  }
  return undefined;
}

/** @param spellingFault - Compares the address with its normal form; receives the path, empty in place of `/`. */
function addressFault(
  address: string,
  spellingFault: (url: URL, path: string) => string | undefined,
): string | undefined {
  const got = `got ${JSON.stringify(address)}`;
  if (!URL.canParse(address)) return `expected an address that a browser can open, ${got}`;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return 'expected no user name or password, got one';
  const path = url.pathname === '/' ? '' : url.pathname;
  if (!PATH.test(path)) {
    return `expected a path of one or more segments of letters, digits and -._~!$&'()*+,=@%, ${got}`;
  }
  if (path.length > MAX_PATH_CHARACTERS) {
    return `expected a path of at most ${MAX_PATH_CHARACTERS} characters, got ${path.length}`;
  }
  const fault = spellingFault(url, path);
  if (fault !== undefined) return fault;
  if (!isNormalEscaping(path)) {
    return `expected percent-encoded UTF-8 with upper-case hex digits, and only for characters outside ASCII, ${got}`;
  }
  return undefined;
}

/** Returns the path as written, dot segments included. */
function writtenPath(address: string): string {
  const start = address.indexOf('/', address.indexOf('://') + '://'.length);
  return start < 0 ? '' : address.slice(start);
}

/**
 * Whether the escapes of a path have their normal form (RFC 3986 section 6.2.2). Proxies may rewrite any other
 * form, and some read an escaped slash as a slash.
 */
function isNormalEscaping(path: string): boolean {
  if (path.replaceAll(ESCAPES, '').includes('%')) return false;
  return [...path.matchAll(ESCAPES)].every(([escapes]) => {
    try {
      return /^[^\0-\x7f]+$/.test(decodeURIComponent(escapes));
    } catch {
      return false;
    }
  });
}

/** Returns the path of a public address: empty, or `/…` without trailing slash. All its routes are below it. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}
