import type { ErrorCode, ServiceError } from '../../../../errors/index.ts';
import type { Metrics } from '../../../../observability/index.ts';
import type { RefreshFacts } from '../../../../refresh/index.ts';
import { asServiceError } from '../../../error-answer.ts';
import { refreshAnswerOf, renderRefreshError } from '../../../errors-refresh.ts';
import type { ErrorContext, HttpResponse } from '../../../exchange-types.ts';

/** Value of the label `package` of the metrics, and of a request of which it is not known. */
export type PackageLabel = 'with' | 'without' | 'unknown';

/** Checks of refresh.md section 3 that are made before the service without HTTP is asked. */
const EARLY_CHECKS: Partial<Record<ErrorCode, number>> = {
  'refresh.disabled': 1,
  'refresh.media_type': 2,
  'http.body_too_large': 3,
};

/** The answer to a refresh that was refused, with what its log line says (refresh.md section 15). */
export function refreshRefusal(
  error: unknown,
  context: ErrorContext,
  facts: Readonly<RefreshFacts>,
): HttpResponse {
  const fault = asServiceError(error);
  const check = fault.details.check ?? EARLY_CHECKS[fault.code];
  const { rule } = fault.details;
  return {
    ...renderRefreshError(fault, context),
    logFields: {
      ...facts,
      refusal: refusalName(fault),
      ...(check === undefined ? {} : { check }),
      ...(rule === undefined ? {} : { rule }),
    },
    logError: error,
  };
}

/** Counts a refusal that somebody hears of. */
export function countRefusal(
  metrics: Pick<Metrics, 'refreshRefusalsTotal'>,
  error: unknown,
  facts: Readonly<RefreshFacts>,
): void {
  const label = { package: packageLabel(facts), error: refusalName(asServiceError(error)) };
  metrics.refreshRefusalsTotal.inc(label);
}

/** Which kind of refresh a request was, as far as it was read. */
export function packageLabel({ withPackage }: Readonly<RefreshFacts>): PackageLabel {
  if (withPackage === undefined) return 'unknown';
  return withPackage ? 'with' : 'without';
}

/** The error name of the body; the documented 503 has none. */
function refusalName(fault: ServiceError): string {
  return refreshAnswerOf(fault).error ?? 'DISABLED';
}
