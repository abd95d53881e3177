import type { Config } from '../../../../config/settings/types.ts';
import type { ErrorCode } from '../../../../errors/catalogue.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { Metrics } from '../../../../observability/metrics/metrics.ts';
import type { Refresh, RefreshFacts } from '../../../../refresh/types.ts';
import { asServiceError } from '../../../errors/error-answer.ts';
import { REFRESH_HEADERS, refreshAnswerOf, renderRefreshError } from '../../../errors/refresh.ts';
import type { ErrorContext, HttpRequest, HttpResponse, Route } from '../../../exchange/exchange-types.ts';
import { mediaTypeOf } from '../../../headers/request-headers.ts';
import { type FailureGuard, refuseLimited } from '../../../limits/rate-limit.ts';

const PROOF_HEADER = 'x-zkp-proof';
/** Number of the first check after which attempts are counted in the store. */
const PROOF_ATTEMPTS = 8;

/**
 * Builds `POST /api/v1/refresh` (spec/refresh.md#order-of-checks). Checks 1 and 2 and the guard against malformed
 * requests are made here, 3 by the adapter with this body limit, the others by `refresh`. Every refusal is thrown, so
 * that `renderError` counts exactly those that a client receives.
 */
export function refreshRoute({
  config,
  basePath,
  refresh,
  metrics,
  malformed,
  admit,
}: RefreshRoutesParts): Route {
  const factsOf = new WeakMap<ServiceError, Readonly<RefreshFacts>>();
  return {
    method: 'POST',
    path: `${basePath}/api/v1/refresh`,
    bodyLimitBytes: config.refresh.bodyLimitBytes,
    refusesOptions: true,
    ...(admit === undefined ? {} : { admit }),
    async checkHead({ headers, address }) {
      await refresh.checkEnabled();
      if (mediaTypeOf(headers) !== 'multipart/form-data') throw new ServiceError('refresh.media_type');
      refuseLimited(malformed?.check(address));
    },
    renderError(error, context) {
      const fault = asServiceError(error);
      const facts = factsOf.get(fault) ?? {};
      metrics.refreshRefusalsTotal.inc({ package: packageLabel(facts), error: refusalName(fault) });
      return refreshRefusal(fault, context, facts);
    },
    async handler(request) {
      const outcome = await refresh.refresh({
        query: request.query,
        contentType: request.headers.get('content-type') ?? '',
        body: request.body,
        proofHeader: proofHeaderOf(request),
        addressKey: request.addressKey,
        signal: request.signal,
      });
      const { facts } = outcome;
      if (!outcome.ok) {
        const fault = asServiceError(outcome.error);
        if ((fault.details.check ?? PROOF_ATTEMPTS) < PROOF_ATTEMPTS) malformed?.count(request.address);
        factsOf.set(fault, facts);
        throw fault;
      }
      // Counted even if the client has disconnected: the record of the credential stays.
      metrics.credentialsIssuedTotal.inc({ package: packageLabel(facts) });
      const { credential } = outcome;
      return {
        status: 200,
        headers: REFRESH_HEADERS,
        body: JSON.stringify({ success: true, credential, message: 'Credential refreshed successfully' }),
        logFields: { ...facts },
      };
    },
  };
}

function proofHeaderOf({ headers, repeatedHeaders }: HttpRequest): string | undefined {
  return repeatedHeaders.has(PROOF_HEADER) ? undefined : headers.get(PROOF_HEADER);
}

/** Parts of the service that the routes need. */
export interface RefreshRoutesParts {
  readonly config: { readonly refresh: Pick<Config['refresh'], 'bodyLimitBytes'> };
  /** Path of `issuerUrl`; the endpoints are below it. */
  readonly basePath: string;
  readonly refresh: Refresh;
  readonly metrics: Pick<Metrics, 'credentialsIssuedTotal' | 'refreshRefusalsTotal'>;
  /** Counts requests refused by checks 4 to 7; absent if the limit is off. */
  readonly malformed?: FailureGuard | undefined;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** Numbers of the checks that the route runs itself (spec/refresh.md#order-of-checks). */
const EARLY_CHECKS: Partial<Record<ErrorCode, number>> = {
  'refresh.disabled': 1,
  'refresh.media_type': 2,
  'http.body_too_large': 3,
};

/** Returns the answer to a refused refresh, with the fields of its log line (spec/refresh.md#log-line). */
function refreshRefusal(
  fault: ServiceError,
  context: ErrorContext,
  facts: Readonly<RefreshFacts>,
): HttpResponse {
  const { check = EARLY_CHECKS[fault.code], rule } = fault.details;
  return {
    ...renderRefreshError(fault, context),
    logFields: {
      ...facts,
      refusal: refusalName(fault),
      ...(check === undefined ? {} : { check }),
      ...(rule === undefined ? {} : { rule }),
    },
  };
}

/** Returns the error name of the body, or `DISABLED` for the only answer without one. */
function refusalName(fault: ServiceError): string {
  return refreshAnswerOf(fault).error ?? 'DISABLED';
}

/**
 * Returns the metric label for the kind of a refresh; `unknown` if the request was refused before its kind was read.
 */
function packageLabel({ withPackage }: Readonly<RefreshFacts>): 'with' | 'without' | 'unknown' {
  if (withPackage === undefined) return 'unknown';
  return withPackage ? 'with' : 'without';
}
