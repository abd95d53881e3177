import { ServiceError } from '../../errors/service-error.ts';
import type { RequestLogFields } from '../../observability/log/request-record.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { NullifierRecord } from '../../storage/nullifiers/nullifier-rows.ts';
import type { VerifyRequest } from '../request/request-types.ts';
import { type CheckedRequest, firstVerified, type ItemResult, nullifierOf } from './checked-request.ts';
import { logFieldsOf } from './request-telemetry.ts';

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

/** Builds the outcome of a call with a valid session proof. @param isNew - Whether it was not accepted before. */
export function sessionOutcome(appId: string, checked: CheckedRequest, isNew: boolean): VerifyOutcome {
  return {
    ok: true,
    form: checked.request,
    body: sessionBody(checked, isNew),
    isReuse: !isNew,
    logFields: logFieldsOf(appId, checked, !isNew),
  };
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

/** Body of a success of uniqueness proofs. */
export interface UniquenessSuccess {
  readonly success: true;
  /** Of the session that the proofs are bound to. */
  readonly session_id?: string;
  readonly action: string;
  readonly nullifier: string;
  readonly created_at: string;
  readonly environment: string;
  readonly protocol_version: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
}

/** Body of a success of session proofs (spec/worldid4.md#answers). */
export interface SessionSuccess {
  readonly success: true;
  readonly session_id: string;
  readonly environment: string;
  readonly protocol_version: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
  /** Present if the proof was accepted before. */
  readonly reused?: true;
}

/** Body of a success. */
export type VerifySuccess = UniquenessSuccess | SessionSuccess;

/** The form of a nullifier in a response, and in most requests. */
const CANONICAL = /^0x[0-9a-f]{64}$/;
const MESSAGE_OF_NEW = 'Proof verified successfully';
const MESSAGE_OF_SESSION = 'Session proof verified successfully';
const MESSAGE_OF_REUSE = `${MESSAGE_OF_NEW} (nullifier reuse)`;

/** Builds the body of `spec/verification.md#success-response` for a request with a valid item. */
function successBody(checked: CheckedRequest, isNew: boolean, createdAt: number): UniquenessSuccess {
  const { request, results } = checked;
  const first = firstVerified(checked);
  if (first === undefined) throw new TypeError('expected a verified item, got none');
  return {
    success: true,
    ...(request.sessionId === undefined ? {} : { session_id: request.sessionId }),
    action: request.action,
    nullifier: CANONICAL.test(first.nullifier) ? first.nullifier : toHex(nullifierOf(request, first)),
    created_at: isoTime(createdAt),
    environment: request.environment,
    protocol_version: request.protocol,
    results,
    message: isNew ? MESSAGE_OF_NEW : MESSAGE_OF_REUSE,
  };
}

/** Builds the body for a request of session proofs with a valid item. */
function sessionBody({ request, results }: CheckedRequest, isNew: boolean): SessionSuccess {
  const { sessionId } = request;
  if (sessionId === undefined) throw new TypeError('expected a request with a session, got none');
  return {
    success: true,
    session_id: sessionId,
    environment: request.environment,
    protocol_version: request.protocol,
    results,
    message: MESSAGE_OF_SESSION,
    ...(isNew ? {} : { reused: true }),
  };
}

let lastTime = Number.NaN;
let lastTimeText = '';

// Caches the last text: records of one commit often have the same millisecond.
function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTimeText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastTimeText;
}
