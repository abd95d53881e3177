import { ServiceError } from '../../errors/index.ts';
import type { RequestLogFields } from '../../observability/index.ts';
import type { NullifierRecord } from '../../storage/index.ts';
import type { CheckedRequest } from './checked-request.ts';
import { logFieldsOf } from './request-telemetry.ts';
import { successBody, type VerifySuccess } from './success-body.ts';
import type { ItemResult } from './verify-item.ts';

/** Outcome of a call. */
export type VerifyOutcome =
  | {
      readonly ok: true;
      readonly body: VerifySuccess;
      readonly isReuse: boolean;
      readonly logFields: RequestLogFields;
    }
  | {
      readonly ok: false;
      readonly error: ServiceError;
      /** The registered app id once it is known, otherwise the path id; absent if the response has none. */
      readonly appId?: string;
      readonly results?: readonly ItemResult[];
      readonly logFields: RequestLogFields;
    };

/** Builds the outcome of a call whose nullifier is recorded. */
export function successOutcome(
  appId: string,
  checked: CheckedRequest,
  { isNew, createdAt }: NullifierRecord,
): VerifyOutcome {
  const body = successBody(checked, isNew, createdAt);
  return { ok: true, body, isReuse: !isNew, logFields: logFieldsOf(appId, checked, !isNew) };
}

/**
 * Builds the outcome of a call that failed (`spec/verification.md#error-body`).
 *
 * @param pathId - The path id as sent.
 * @param appId - The registered app id, once it is known.
 * @param checked - The request with its results, once all items have a result.
 */
export function failureOutcome(
  fault: unknown,
  pathId: string,
  appId: string | undefined,
  checked: CheckedRequest | undefined,
): VerifyOutcome {
  const error =
    fault instanceof ServiceError
      ? fault
      : new ServiceError('internal.unforeseen', undefined, {}, { cause: fault });
  return {
    ok: false,
    error,
    ...(error.code === 'verify.schema' ? {} : { appId: appId ?? pathId }),
    ...(checked !== undefined && isAllFailed(error) ? { results: checked.results } : {}),
    logFields: logFieldsOf(appId, checked),
  };
}

function isAllFailed({ code }: ServiceError): boolean {
  return code === 'verify.all_failed' || code === 'verify.all_failed_internal';
}
