import { ERRORS } from '../../../errors/catalogue.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Metrics } from '../../../observability/metrics/metrics.ts';
import type { RequestForm, VerifyOutcome } from '../../../verification/run/verify-outcome.ts';
import type { RequestVerifier } from '../../../verification/run/verify-request.ts';
import { renderVerifyError, VERIFY_HEADERS, type VerifyErrorExtra } from '../../errors/verify.ts';
import {
  DEFERRED,
  type ErrorContext,
  type HttpRequest,
  type HttpResponse,
  type Route,
} from '../../exchange/exchange-types.ts';

/** Metric label for a request with a malformed body. */
const NONE = 'none';

/** Parts of the service that the route needs. */
export interface VerifyRouteParts {
  /** Path of `verifyUrl`; the endpoint is below it. */
  readonly basePath: string;
  readonly verifyRequest: RequestVerifier;
  /** `verify.bodyLimitBytes`. */
  readonly bodyLimitBytes: number;
  readonly metrics: Pick<Metrics, 'verifyRequestsTotal'>;
  /**
   * Checks of `spec/verification.md#order-of-checks, availability` in addition to those of the listener.
   * Throws to refuse.
   */
  readonly admit?: NonNullable<Route['admit']>;
  /** The step `rate-limit`; absent if `verify.rateLimitPerSecond` is 0. */
  readonly rateGuard?: NonNullable<Route['rateGuard']>;
}

/** Builds `POST /api/v4/verify/{rp_id}` (`spec/verification.md#endpoint`). It accepts JSON of any Content-Type. */
export function verifyRoute(parts: VerifyRouteParts): Route {
  const { basePath, verifyRequest, bodyLimitBytes, metrics, admit, rateGuard } = parts;
  const count = (status: number, code: string, form?: RequestForm): void => {
    const { protocol = NONE, kind = NONE } = form ?? {};
    metrics.verifyRequestsTotal.at(String(status), code, protocol, kind).add();
  };
  // The most frequent label sets are looked up once.
  const counts = {
    ok: metrics.verifyRequestsTotal.at('200', 'ok', '3.0', 'uniqueness'),
    reuse: metrics.verifyRequestsTotal.at('200', 'reuse', '3.0', 'uniqueness'),
  };
  const renderError = (error: unknown, context: ErrorContext): HttpResponse => {
    const answer = renderVerifyError(error, context);
    count(answer.status, wireCode(error));
    return answer;
  };
  const renderOutcome = (outcome: VerifyOutcome, request: HttpRequest): HttpResponse => {
    // After an abort no client receives the answer: it has disconnected, or was answered when the handler timed out.
    const isCounted = !request.signal.aborted;
    if (!outcome.ok) {
      const { error, form, logFields } = outcome;
      const answer = renderVerifyError(error, request, extraOf(outcome));
      if (isCounted) count(answer.status, wireCode(error), form);
      return { ...answer, logFields, logError: error };
    }
    const { body, form, logFields, isReuse } = outcome;
    const result = isReuse ? 'reuse' : 'ok';
    if (isCounted && form?.protocol === '3.0') counts[result].add();
    else if (isCounted) count(200, result, form);
    return {
      status: 200,
      fixedHeaders: VERIFY_HEADERS,
      body: JSON.stringify(body),
      logFields,
    };
  };

  return {
    method: 'POST',
    path: `${basePath}/api/v4/verify/:rp_id`,
    bodyLimitBytes,
    readsBodySynchronously: true,
    readsAddressLazily: true,
    ...(admit === undefined ? {} : { admit }),
    ...(rateGuard === undefined ? {} : { rateGuard }),
    renderError,
    handler: (request, receiver) => {
      const { params, body, requestId, signal } = request;
      const call = { id: params.rp_id ?? '', body, requestId, sender: request, signal, timer: receiver };
      verifyRequest(call, (outcome) => {
        try {
          receiver.answer(renderOutcome(outcome, request));
        } catch (error) {
          receiver.fail(error);
        }
      });
      return DEFERRED;
    },
  };
}

function extraOf({ appId, results }: Extract<VerifyOutcome, { ok: false }>): VerifyErrorExtra {
  return { ...(appId === undefined ? {} : { appId }), ...(results ? { results } : {}) };
}

function wireCode(error: unknown): string {
  const answer = error instanceof ServiceError ? error.spec.verify : undefined;
  return (answer ?? ERRORS['internal.unforeseen'].verify).code;
}
