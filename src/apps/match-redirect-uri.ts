import type { AppRow } from '../storage/index.ts';

/** Captures the loopback origin, the port and the rest of a redirect URI (RFC 8252 section 7.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([0-9]{1,5}))?([/?].*)?$/i;
const MAX_PORT = 65_535;

/**
 * Whether a redirect URI is registered for the client, byte for byte. For a native client, any port matches a registered
 * loopback URI, since the operating system picks the port that the app listens on.
 */
export function matchesRedirectUri({ client }: Pick<AppRow, 'client'>, uri: string): boolean {
  return matches(client.redirectUris, client, uri);
}

/** Whether an address for after a sign-out is registered for the client, by the rule of `matchesRedirectUri`. */
export function matchesPostLogoutUri({ client }: Pick<AppRow, 'client'>, uri: string): boolean {
  return matches(client.postLogoutRedirectUris, client, uri);
}

function matches(
  uris: readonly string[],
  { applicationType }: Pick<AppRow['client'], 'applicationType'>,
  uri: string,
): boolean {
  if (uris.includes(uri)) return true;
  if (applicationType !== 'native') return false;
  const wanted = withoutPort(uri);
  return wanted !== undefined && uris.some((registered) => withoutPort(registered) === wanted);
}

/** Origins of the http and https redirect URIs, as a browser's `Origin` header spells them. */
export function originsOf({ client }: Pick<AppRow, 'client'>): ReadonlySet<string> {
  const origins = new Set<string>();
  for (const uri of client.redirectUris) {
    const { origin, protocol } = new URL(uri);
    if (protocol === 'https:' || protocol === 'http:') origins.add(origin);
  }
  return origins;
}

function withoutPort(uri: string): string | undefined {
  const [, host, port = '1', rest = ''] = LOOPBACK.exec(uri) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= MAX_PORT;
  return host === undefined || !isPort ? undefined : `${host} ${rest}`;
}
