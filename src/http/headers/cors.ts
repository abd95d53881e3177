/** CORS headers of an answer. */
export type CorsHeaders = Readonly<Record<string, string>>;

/**
 * Which pages of other origins may call a route and read its answers; no credentials mode anywhere. A policy that has
 * to ask gives a promise; when that fails or comes too late, the answer leaves without the headers.
 */
export interface CorsPolicy {
  /**
   * Headers of every answer, errors included.
   *
   * @param origin - The header of the request, if it has one.
   * @param clientId - The client of sign-in that the request turned out to be of, if it is known.
   */
  answerHeaders(origin: string | undefined, clientId: string | undefined): CorsHeaders | Promise<CorsHeaders>;
  /** Headers of the answer to OPTIONS, beside those of every answer. */
  preflightHeaders(origin: string | undefined): CorsHeaders | Promise<CorsHeaders>;
}

/** What an interface allows those that may call it; as it goes into the headers. */
export interface CorsSettings {
  readonly methods: readonly string[];
  readonly requestHeaders: string;
}

/** What an interface allows that only some origins may call. */
export interface SomeOriginsSettings extends CorsSettings {
  /** Response headers that a page may read beside the usual ones. */
  readonly exposed: string;
  /** Whether pages of an origin may call; for a request of an unknown client, `clientId` is undefined. */
  readonly isAllowed: (origin: string, clientId: string | undefined) => Promise<boolean>;
}

// spec/sign-in.md#cors
const PREFLIGHT_SECONDS = 600;

/** Lets every origin in. The answers do not depend on the origin, hence no `Vary`. */
export function anyOrigin(settings: CorsSettings): CorsPolicy {
  const answerHeaders = { 'Access-Control-Allow-Origin': '*' };
  const preflightHeaders = preflightOf(settings);
  return { answerHeaders: () => answerHeaders, preflightHeaders: () => preflightHeaders };
}

/** Lets those origins in that a question allows; others are served without CORS headers. */
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
