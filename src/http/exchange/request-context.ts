import type { AdminCaller } from '../../admin/index.ts';
import type { RequestTrace } from '../../observability/index.ts';
import type { AnswerFacts } from '../../oidc/endpoints/index.ts';
import type { Language } from '../../oidc/languages.ts';

/**
 * Facts that are found out about a request while it is served, for its later steps, for the renderer of its errors and
 * for its log line. Made once per request; a fact is undefined until it is known.
 */
export class RequestContext implements AnswerFacts {
  /** Registered client of sign-in, or app, that the request belongs to. */
  client: string | undefined;
  /** Returns the nonce for the next proof of possession of the client (RFC 9449 section 8). */
  nonce: (() => string) | undefined;
  /** Language that the person asked for, for a page about an error. */
  language: Language | undefined;
  /** Caller of the admin API, once its token is checked. */
  caller: AdminCaller | undefined;
  /** Trace of the request, from the begin of its handler; undefined if tracing is off. */
  trace: RequestTrace | undefined;
}
