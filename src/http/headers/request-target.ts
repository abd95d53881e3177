import { isIPv6 } from 'node:net';

/**
 * Form of a request target: `path` (origin form, or absolute form of http or https), `asterisk` (`*`, for `OPTIONS` alone),
 * `malformed` (anything else, also the authority form of a method other than CONNECT).
 *
 * @see RFC 9112 section 3.2
 */
export type TargetForm = 'path' | 'asterisk' | 'malformed';

/** A request target without its query. */
export interface RequestTarget {
  readonly form: TargetForm;
  /** Path of the origin form; as sent if the form is malformed. */
  readonly path: string;
  /** Host and port of the absolute form, which count instead of `Host` (RFC 9112 section 3.2.2). */
  readonly authority: string | undefined;
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/([^/]*)(\/.*)?$/is;
// Without user information, which hides the host from people (RFC 9110 section 4.2.4), and without percent-encoding, which
// not everybody decodes.
const AUTHORITY = /^(?:\[(?<address>[^\]]*)\]|[a-z0-9._-]+)(?::(?<port>\d{0,5}))?$/i;
const MAX_PORT = 65_535;

/**
 * Reads a request target: that of a path as it was sent, the absolute form as its path.
 *
 * @param sent - The target up to its query.
 */
export function readTarget(method: string, sent: string, query: string): RequestTarget {
  if (sent.charCodeAt(0) === SLASH) return { form: 'path', path: sent, authority: undefined };
  const [, authority, path] = ABSOLUTE.exec(sent) ?? [];
  const isServer = method === 'OPTIONS' && path === undefined && query === '';
  if (authority !== undefined && isAuthority(authority)) {
    return { form: isServer ? 'asterisk' : 'path', path: path ?? (isServer ? '*' : '/'), authority };
  }
  return { form: isServer && sent === '*' ? 'asterisk' : 'malformed', path: sent, authority: undefined };
}

function isAuthority(text: string): boolean {
  const { groups } = AUTHORITY.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port } = groups;
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= MAX_PORT;
}
