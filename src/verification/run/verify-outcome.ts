import { ServiceError } from '../../errors/index.ts';
import type { RequestLogFields } from '../../observability/index.ts';
import type { NullifierRecord } from '../../storage/index.ts';
import type { VerifyRequest } from '../request/request-types.ts';
import type { CheckedRequest } from './checked-request.ts';
import type { ItemResult } from './item-result.ts';
import { logFieldsOf } from './request-telemetry.ts';
import { sessionBody, successBody, type VerifySuccess } from './success-body.ts';

/** Protocol version and kind of proofs of a request; undefined until its body is known to be well formed. */
export type RequestForm = Pick<VerifyRequest, 'protocol' | 'kind'> | undefined;

/** Outcome of a call. */
export type VerifyOutcome =
  | {
      readonly ok: true;
      readonly form: RequestForm;
      readonly body: VerifySuccess;
      readonly isReuse: boolean;
      readonly logFields: RequestLogFields;
    }
  | {
      readonly ok: false;
      readonly form: RequestForm;
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
  return {
    ok: true,
    form: checked.request,
    body,
    isReuse: !isNew,
    logFields: logFieldsOf(appId, checked, !isNew),
  };
}

/** Builds the outcome of a call with a valid session proof. */
export function sessionOutcome(appId: string, checked: CheckedRequest, sessionId: string): VerifyOutcome {
  const body = sessionBody(checked, sessionId);
  return { ok: true, form: checked.request, body, isReuse: false, logFields: logFieldsOf(appId, checked) };
}

/**
 * Builds the outcome of a call that failed (`spec/verification.md#error-body`).
 *
 * @param form - The request, once its body is known to be well formed.
 * @param pathId - The path id as sent.
 * @param appId - The registered app id, once it is known.
 * @param checked - The request with its results, once all items have a result.
 */
export function failureOutcome(
  fault: unknown,
  form: RequestForm,
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
    form,
    error,
    ...(error.code === 'verify.schema' ? {} : { appId: appId ?? pathId }),
    ...(checked !== undefined && isAllFailed(error) ? { results: checked.results } : {}),
    logFields: { ...logFieldsOf(appId, checked), rule: error.details.rule },
  };
}

function isAllFailed({ code }: ServiceError): boolean {
  return code === 'verify.all_failed' || code === 'verify.all_failed_internal';
}
