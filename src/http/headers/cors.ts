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
  /** Returns the additional headers of the answer to OPTIONS. */
  preflightHeaders(origin: string | undefined): CorsHeaders | Promise<CorsHeaders>;
}

/** Permissions of an interface for allowed origins, as sent in the headers. */
export interface CorsSettings {
  readonly methods: readonly string[];
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

/** Creates a policy that allows every origin. The answers do not depend on the origin, hence no `Vary`. */
export function anyOrigin(settings: CorsSettings): CorsPolicy {
  const answerHeaders = { 'Access-Control-Allow-Origin': '*' };
  const preflightHeaders = preflightOf(settings);
  return { answerHeaders: () => answerHeaders, preflightHeaders: () => preflightHeaders };
}

/**
 * Creates a policy that allows the origins for which `isAllowed` resolves to true; others get no CORS
 * headers.
 */
export function someOrigins(settings: SomeOriginsSettings): CorsPolicy {
  const { exposed, isAllowed } = settings;
  const vary = { Vary: 'Origin' };
  const preflightHeaders = { ...vary, ...preflightOf(settings) };
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
    preflightHeaders(origin) {
      if (origin === undefined) return vary;
      return isAllowed(origin, undefined).then(
        (mayCall) => (mayCall ? preflightHeaders : vary),
        () => vary,
      );
    },
  };
}

function preflightOf({ methods, requestHeaders }: CorsSettings): CorsHeaders {
  return {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
}
