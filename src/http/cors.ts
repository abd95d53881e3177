/** Which pages of other origins may call a route and read its answers; no credentials mode anywhere. */
export interface CorsPolicy {
  /** Headers of every answer, errors included. `origin` is the header of the request, if it has one. */
  answerHeaders(origin: string | undefined): Readonly<Record<string, string>>;
  /** Headers of the answer to OPTIONS, beside those of every answer. */
  preflightHeaders(origin: string | undefined): Readonly<Record<string, string>>;
}

/** What an open interface allows; as it goes into the headers. */
export interface OpenCorsSettings {
  readonly methods: readonly string[];
  readonly requestHeaders: string;
}

// signin.md section 3
const PREFLIGHT_SECONDS = 600;

/** Lets every origin in. The answers do not depend on the origin, hence no `Vary`. */
export function anyOrigin({ methods, requestHeaders }: OpenCorsSettings): CorsPolicy {
  const answerHeaders = { 'Access-Control-Allow-Origin': '*' };
  const preflightHeaders = {
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': requestHeaders,
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
  return { answerHeaders: () => answerHeaders, preflightHeaders: () => preflightHeaders };
}
