import type { ErrorCode } from '../../../../errors/catalogue.ts';
import type { ServiceError } from '../../../../errors/service-error.ts';
import type { RefreshFacts } from '../../../../refresh/types.ts';
import { refreshAnswerOf, renderRefreshError } from '../../../errors/refresh.ts';
import type { ErrorContext, HttpResponse } from '../../../exchange/exchange-types.ts';

/** Numbers of the checks that the route runs itself (spec/refresh.md#order-of-checks). */
const EARLY_CHECKS: Partial<Record<ErrorCode, number>> = {
  'refresh.disabled': 1,
  'refresh.media_type': 2,
  'http.body_too_large': 3,
};

/** Returns the answer to a refused refresh, with the fields of its log line (spec/refresh.md#log-line). */
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

/** Returns the error name of the body, or `DISABLED` for the only answer without one. */
export function refusalName(fault: ServiceError): string {
  return refreshAnswerOf(fault).error ?? 'DISABLED';
}

/**
 * Returns the metric label for the kind of a refresh; `unknown` if the request was refused before its kind was read.
 */
export function packageLabel({ withPackage }: Readonly<RefreshFacts>): 'with' | 'without' | 'unknown' {
  if (withPackage === undefined) return 'unknown';
  return withPackage ? 'with' : 'without';
}
