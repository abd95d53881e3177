import type { ClientSettings } from './client-of.ts';
import { hasShortScheme } from './redirect-uri.ts';

/** Returns what an operator should know about the settings of a client that are allowed but have a risk. */
export function clientWarnings({
  redirectUris,
  postLogoutRedirectUris,
}: Pick<ClientSettings, 'redirectUris' | 'postLogoutRedirectUris'>): readonly string[] {
  const short = [...redirectUris, ...postLogoutRedirectUris].filter(hasShortScheme);
  const schemes = [...new Set(short.map((uri) => uri.slice(0, uri.indexOf(':'))))];
  return schemes.map(
    (scheme) =>
      `any other app of a device may claim the scheme ${scheme} and receive what is sent to it (RFC 8252 section 8.6): PKCE is required of the client, and its URIs of that scheme receive codes alone; an https URI that the app claims has no such risk`,
  );
}
