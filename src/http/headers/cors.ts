/** CORS headers of an answer. */
export type CorsHeaders = Readonly<Record<string, string>>;

/**
 * Decides for pages of which origins a route may be called and its answers read; credentials are never allowed. A
 * policy that needs a lookup returns a promise; if that rejects or is too late, the answer is sent without the headers.
 */
export interface CorsPolicy {
  /**
   * Returns the headers of an answer, errors included.
   *
   * @param origin - `Origin` header of the request, if any.
   * @param clientId - Client of sign-in that sent the request, if known.
   */
  answerHeaders(origin: string | undefined, clientId: string | undefined): CorsHeaders | Promise<CorsHeaders>;
  /**
   * Returns the additional headers of the answer to OPTIONS.
   *
   * @param requested - `Access-Control-Request-Headers` of the request, if any.
   */
  preflightHeaders(
    origin: string | undefined,
    requested: string | undefined,
  ): CorsHeaders | Promise<CorsHeaders>;
}

/** Permissions of an interface for allowed origins, as sent in the headers. */
export interface CorsSettings {
  readonly methods: readonly string[];
  /**
   * Names of request headers; those that a page asks for and that carry no credential are allowed besides. `*` allows
   * all but Authorization.
   */
  readonly requestHeaders: string;
}

/** Settings of an interface with restricted origins. */
export interface SomeOriginsSettings extends CorsSettings {
  /** Response headers that a page may read in addition to the safelisted ones. */
  readonly exposed: string;
  /**
   * Resolves to whether pages of an origin may call; `clientId` is undefined for a request of an unknown
   * client.
   */
  readonly isAllowed: (origin: string, clientId: string | undefined) => Promise<boolean>;
}

// spec/sign-in.md#cors
const PREFLIGHT_SECONDS = 600;
const REQUEST_HEADERS = 'Access-Control-Request-Headers';
const MAX_REQUESTED_CHARACTERS = 2048;
const MAX_REQUESTED_NAMES = 64;
// RFC 9110 section 5.6.2. A longer name than this is of no program in use.
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** A wildcard in the list would allow what was not asked for. */
const WILDCARD = '*';
/** Headers that carry a credential, or a proof of one, are allowed where an endpoint names them, and nowhere else. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'cookie2',
  'dpop',
  'proxy-authorization',
  'set-cookie',
]);

/** Creates a policy that allows every origin. The answers do not depend on the origin, hence no `Vary: Origin`. */
export function anyOrigin(settings: CorsSettings): CorsPolicy {
  const answerHeaders = { 'Access-Control-Allow-Origin': '*' };
  const vary = settings.requestHeaders === WILDCARD ? {} : { Vary: REQUEST_HEADERS };
  return {
    answerHeaders: () => answerHeaders,
    preflightHeaders: (_origin, requested) => ({ ...vary, ...preflightOf(settings, requested) }),
  };
}

/**
 * Creates a policy that allows the origins for which `isAllowed` resolves to true; others get no CORS
 * headers.
 */
export function someOrigins(settings: SomeOriginsSettings): CorsPolicy {
  const { exposed, isAllowed } = settings;
  const vary = { Vary: 'Origin' };
  const preflightVary = { Vary: `Origin, ${REQUEST_HEADERS}` };
  return {
    answerHeaders(origin, clientId) {
      if (origin === undefined) return vary;
      return isAllowed(origin, clientId).then(
        (mayCall) =>
          mayCall
            ? { ...vary, 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed }
            : vary,
        () => vary,
      );
    },
    preflightHeaders(origin, requested) {
      if (origin === undefined) return preflightVary;
      return isAllowed(origin, undefined).then(
        (mayCall) => (mayCall ? { ...preflightVary, ...preflightOf(settings, requested) } : preflightVary),
        () => preflightVary,
      );
    },
  };
}

function preflightOf({ methods, requestHeaders }: CorsSettings, requested = ''): CorsHeaders {
  const more = requestHeaders === WILDCARD ? [] : requestedNames(requested, requestHeaders);
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': [requestHeaders, ...more].join(', '),
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
}

/** Returns the requested names that the list lacks and that carry no credential; none of a request beyond the bounds. */
function requestedNames(requested: string, allowed: string): readonly string[] {
  if (requested === '' || requested.length > MAX_REQUESTED_CHARACTERS) return [];
  const names = requested.split(',').map((name) => name.trim().toLowerCase());
  if (names.length > MAX_REQUESTED_NAMES) return [];
  const listed = new Set(allowed.toLowerCase().split(', '));
  return [...new Set(names)].filter(
    (name) => name !== WILDCARD && HEADER_NAME.test(name) && !listed.has(name) && !CREDENTIALS.has(name),
  );
}
