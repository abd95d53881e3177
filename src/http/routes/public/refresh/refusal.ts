import type { ErrorCode, ServiceError } from '../../../../errors/index.ts';
import type { RefreshFacts } from '../../../../refresh/index.ts';
import { refreshAnswerOf, renderRefreshError } from '../../../errors/refresh.ts';
import type { ErrorContext, HttpResponse } from '../../../exchange/exchange-types.ts';

/** Checks that the route makes before it calls the service (spec/refresh.md#order-of-checks). */
const EARLY_CHECKS: Partial<Record<ErrorCode, number>> = {
  'refresh.disabled': 1,
  'refresh.media_type': 2,
  'http.body_too_large': 3,
};

/** The answer to a refresh that was refused, with what its log line says (spec/refresh.md#log-line). */
export function refreshRefusal(
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

/** The error name of the body, `DISABLED` for the one answer that has none. */
export function refusalName(fault: ServiceError): string {
  return refreshAnswerOf(fault).error ?? 'DISABLED';
}

/** Label of the metrics for the kind of a refresh, as far as the request was read. */
export function packageLabel({ withPackage }: Readonly<RefreshFacts>): 'with' | 'without' | 'unknown' {
  if (withPackage === undefined) return 'unknown';
  return withPackage ? 'with' : 'without';
}
