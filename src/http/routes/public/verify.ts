import { ERRORS, ServiceError } from '../../../errors/index.ts';
import type { Metrics } from '../../../observability/index.ts';
import type { RequestVerifier } from '../../../verification/index.ts';
import { rateLimitKey } from '../../address.ts';
import { VERIFY_HEADERS, type VerifyErrorExtra, verifyErrorResponse } from '../../errors-verify.ts';
import type { ErrorContext, HttpResponse, Route } from '../../exchange-types.ts';

/** What the route needs of the rest of the service. */
export interface VerifyRouteParts {
  readonly verifyRequest: RequestVerifier;
  /** `verify.bodyLimitBytes`. */
  readonly bodyLimitBytes: number;
  readonly metrics: Pick<Metrics, 'verifyRequestsTotal'>;
  /** What of row 2 of verify.md 1.1 the listener does not know: a store that is down. Throws to refuse. */
  readonly admit?: NonNullable<Route['admit']>;
  /** Row 3; absent when `verify.rateLimitPerSecond` is 0. */
  readonly rateGuard?: NonNullable<Route['rateGuard']>;
}

/** Path of the endpoint. */
export const VERIFY_PATH = '/api/v4/verify/:rp_id';

/** `POST /api/v4/verify/{rp_id}` (verify.md). Whatever its Content-Type, a body that parses as JSON is taken. */
export function verifyRoute(parts: VerifyRouteParts): Route {
  const { verifyRequest, bodyLimitBytes, metrics, admit, rateGuard } = parts;
  const renderError = (error: unknown, context: ErrorContext, extra: VerifyErrorExtra = {}): HttpResponse => {
    const answer = verifyErrorResponse(error, context, extra);
    metrics.verifyRequestsTotal.inc({ status: String(answer.status), code: wireCode(error) });
    return answer;
  };

  return {
    method: 'POST',
    path: VERIFY_PATH,
    bodyLimitBytes,
    ...(admit === undefined ? {} : { admit }),
    ...(rateGuard === undefined ? {} : { rateGuard }),
    renderError,
    handler: async ({ params, body, requestId, address, signal, method }) => {
      const id = params.rp_id ?? '';
      const source = rateLimitKey(address);
      const outcome = await verifyRequest({ id, body, requestId, source, signal });
      const logFields = outcome.facts;
      if (!outcome.ok) {
        const { error, appId, results } = outcome;
        const extra = { ...(appId === undefined ? {} : { appId }), ...(results ? { results } : {}) };
        return { ...renderError(error, { method, params, requestId }, extra), logFields, logError: error };
      }
      const code = outcome.isReuse ? 'reuse' : 'ok';
      metrics.verifyRequestsTotal.inc({ status: '200', code });
      return {
        status: 200,
        headers: VERIFY_HEADERS,
        body: JSON.stringify(outcome.body),
        logFields,
      };
    },
  };
}

function wireCode(error: unknown): string {
  const answer = error instanceof ServiceError ? error.spec.verify : undefined;
  return (answer ?? ERRORS['internal.unforeseen'].verify).code;
}
