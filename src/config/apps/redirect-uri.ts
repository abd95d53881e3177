/** Facts that determine the allowed redirect URIs of a client. */
export interface RedirectUriRules {
  readonly isStaging: boolean;
  readonly applicationType: 'web' | 'native';
  /** Whether the operator allows private schemes without a dot. */
  readonly allowShortScheme: boolean;
  /** Whether the client carries the development mark, which production refuses. */
  readonly isDevelopment: boolean;
}

/** Maximum length of a redirect URI in ASCII characters. */
export const MAX_REDIRECT_URI_CHARACTERS = 2048;

// The characters of RFC 3986 without "#" and "*": a backslash, for example, is a slash only to browsers.
const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=%]+$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const AUTHORITY = /^[^:]+:\/\/([^/?]*)/;
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** Schemes that execute or show the content of the URI, access the user's machine, or cannot receive an answer. */
const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set(
  `javascript data vbscript livescript mocha blob file filesystem content about view-source jar mhtml res resource shell
  chrome chrome-extension chrome-search chrome-untrusted devtools edge brave opera vivaldi firefox moz-extension
  safari-extension safari-web-extension intent intents android-app market itms itms-apps itms-services facetime prefs
  ws wss ftp ftps sftp ssh telnet ldap ldaps gopher smb afp nfs feed
  mailto tel callto sms smsto mms im irc ircs xmpp sip sips matrix webcal news nntp geo maps magnet bitcoin
  openpgp4fpr urn tag cid mid wtai localhost`.split(/\s+/),
);
/** Beginnings of schemes that any website may claim (`registerProtocolHandler`), that Windows serves, or that look like http. */
const FORBIDDEN_BEGINNINGS = /^(?:web\+|ext\+|ms-|search-ms|microsoft-edge|x-apple|http)/;

/**
 * Returns the reason why a client may not have a redirect URI (spec/sign-in.md#redirect-uris), as text after the URI;
 * undefined if it may. An accepted URI is stored and compared byte for byte.
 */
export function checkRedirectUri(uri: string, rules: RedirectUriRules): string | undefined {
  if (uri.length > MAX_REDIRECT_URI_CHARACTERS) {
    return `is longer than ${MAX_REDIRECT_URI_CHARACTERS} characters`;
  }
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a "*", and URIs are compared byte for byte';
  if (!URI_CHARACTERS.test(uri)) {
    return 'has a character that no URI may have (RFC 3986), such as a space, a control character or one outside ASCII';
  }
  const scheme = schemeOf(uri);
  if (scheme === undefined) return 'is not absolute: it has no scheme';
  if (isForbiddenScheme(scheme)) return `has the scheme ${scheme}, which is never allowed`;
  const authority = AUTHORITY.exec(uri)?.[1];
  if (authority?.includes('@')) return 'has user info';
  if (scheme !== 'https' && scheme !== 'http') return checkPrivateScheme(uri, scheme, rules);
  const host = hostOf(uri, authority);
  if (host === undefined) return 'has no valid host';
  return scheme === 'http' ? checkHttp(host, rules) : undefined;
}

/** Whether no URI of a client, and no origin of its pages, may have this scheme, given in lower case. */
export function isForbiddenScheme(scheme: string): boolean {
  if (scheme === 'https' || scheme === 'http' || scheme.includes('.')) return false;
  return FORBIDDEN_SCHEMES.has(scheme) || FORBIDDEN_BEGINNINGS.test(scheme);
}

/** Whether a URI that a client may have has a private scheme without a dot (RFC 8252 section 7.1). */
export function hasShortScheme(uri: string): boolean {
  const scheme = schemeOf(uri) ?? 'https';
  return scheme !== 'https' && scheme !== 'http' && !scheme.includes('.');
}

function schemeOf(uri: string): string | undefined {
  return SCHEME.exec(uri)?.[1]?.toLowerCase();
}

function checkPrivateScheme(
  uri: string,
  scheme: string,
  { applicationType, allowShortScheme }: RedirectUriRules,
): string | undefined {
  if (applicationType !== 'native')
    return `has the private scheme ${scheme}, which only native clients may have`;
  if (!allowShortScheme && hasShortScheme(uri)) {
    return `has the private scheme ${scheme} without a dot, which any app may claim; allow_short_scheme accepts the risk`;
  }
  return URL.canParse(uri) ? undefined : 'is not a valid URI';
}

function checkHttp(
  host: string,
  { isStaging, applicationType, isDevelopment }: RedirectUriRules,
): string | undefined {
  if (isStaging && isDevelopment) return undefined;
  if (!isStaging && applicationType !== 'native') {
    return 'is http, which only staging and native clients may have, and only on a loopback host; expected https';
  }
  if (LOOPBACK_HOSTS.includes(host)) return undefined;
  return `is http on a host other than ${LOOPBACK_HOSTS.join(', ')}; expected https`;
}

/** Returns the host as written, in lower case; undefined if there is none or it cannot be parsed. */
function hostOf(uri: string, authority: string | undefined): string | undefined {
  if (authority === undefined || authority === '' || !URL.canParse(uri)) return undefined;
  const host = authority.replace(/:[0-9]*$/, '').toLowerCase();
  return host === '' ? undefined : host;
}
