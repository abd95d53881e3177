import { isLoopbackHost } from '../../addresses.ts';
import { isForbiddenScheme, type RedirectUriRules } from './redirect-uri.ts';

/** Host of an origin of a private scheme, as apps choose it: `localhost`, `notes.example`, `-`, `.`. */
const PRIVATE_ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/[a-z0-9._-]+(?::[1-9][0-9]{0,4})?$/;
/** Schemes of browser extensions: no redirect URI, but pages of an origin of their own. */
const EXTENSIONS: readonly string[] = ['chrome-extension', 'moz-extension'];
const EXPECTED = 'expected scheme, host and port as browsers send them, such as https://app.example';

/**
 * Returns the reason why pages of an origin may not call for a client (spec/sign-in.md#allowed-origins), as text after
 * the origin; undefined if they may. An accepted origin is compared with the `Origin` header byte for byte.
 */
export function checkOrigin(
  origin: string,
  { isStaging, isDevelopment }: Pick<RedirectUriRules, 'isStaging' | 'isDevelopment'>,
): string | undefined {
  if (origin === 'null') return 'is the origin of every sandboxed page and local file';
  if (origin.includes('*')) return 'has a "*", and origins are compared byte for byte';
  if (!URL.canParse(origin)) return `is not an origin; ${EXPECTED}`;
  const url = new URL(origin);
  const scheme = url.protocol.slice(0, -1);
  if (isForbiddenScheme(scheme) && !EXTENSIONS.includes(scheme))
    return `has the scheme ${scheme}, which is never allowed`;
  if (scheme !== 'https' && scheme !== 'http') {
    if (PRIVATE_ORIGIN.test(origin)) return undefined;
    return 'is not an origin; expected scheme, host and port in lower case, without a path, such as capacitor://localhost';
  }
  if (url.origin !== origin) return `is not what browsers send, which is ${JSON.stringify(url.origin)}`;
  const isLocal = isLoopbackHost(url.hostname) || url.hostname.endsWith('.localhost');
  const isAllowed = scheme === 'https' || isLocal || (isStaging && isDevelopment);
  return isAllowed ? undefined : 'is http on a host other than localhost; expected https';
}
