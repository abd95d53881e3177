import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import type { ErrorContext, HttpResponse } from '../exchange/exchange-types.ts';
import { FixedHeaders } from '../headers/response-headers.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';

/** Headers of every answer of the verification interface (spec/verification.md#response-headers). */
export const VERIFY_HEADERS: FixedHeaders = new FixedHeaders({
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
});

/** Refusals with the path of the error as `attribute`. */
const NAMES_ATTRIBUTE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['verify.schema', 'verify.issuer_unrecognized', 'policy.credential_not_allowed'] as const),
  ...(['verify.nullifiers_differ', 'policy.session_proof_reused'] as const),
]);

/** Members of a verification error body that only the handler knows. */
export interface VerifyErrorExtra {
  /** Registered app_id, once it is known; until then the body has the path id as sent. */
  readonly appId?: string;
  /** Failed items (spec/verification.md#order-of-checks, internal-items and all-failed). */
  readonly results?: readonly unknown[];
}

/**
 * Renders the error body of the verification interface, `{"success":false,"code","detail","attribute"}`
 * (spec/verification.md#error-body).
 */
export function renderVerifyError(
  error: unknown,
  context: ErrorContext,
  extra: VerifyErrorExtra = {},
): HttpResponse {
  const fault = asServiceError(error);
  const answer = fault.spec.verify ?? ERRORS['internal.unforeseen'].verify;
  const appId = hasAppId(fault, answer.code) ? (extra.appId ?? context.params.rp_id) : undefined;
  const body = {
    success: false,
    code: answer.code,
    detail: answer.detail ?? detailOf(fault, context),
    attribute: attributeOf(fault),
    ...(appId === undefined ? {} : { app_id: appId }),
    ...(extra.results === undefined ? {} : { results: extra.results }),
  };
  return {
    status: answer.status,
    fixedHeaders: VERIFY_HEADERS,
    ...ownHeaders(answer.status, fault, context),
    body: JSON.stringify(body),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
  };
}

function ownHeaders(
  status: number,
  fault: ServiceError,
  { allow }: ErrorContext,
): Pick<HttpResponse, 'headers'> | undefined {
  if (status === 405) return { headers: allowHeader(allow) };
  const { challenge } = fault.details;
  if (challenge !== undefined) return { headers: { 'WWW-Authenticate': challenge } };
  const headers = retryAfterHeader(status, fault);
  return headers === undefined ? undefined : { headers };
}

// Refusals by the listener, by the schema and while the store is unavailable have no app_id
// (spec/verification.md#order-of-checks).
function hasAppId(fault: ServiceError, wireCode: string): boolean {
  if (fault.code.startsWith('http.') || fault.code === 'verify.schema') return false;
  return wireCode !== 'service_unavailable';
}

function detailOf(fault: ServiceError, context: ErrorContext): string {
  if (fault.code === 'http.method_not_allowed') return methodNotAllowedText(context.method);
  if (fault.code === 'http.body_too_large') {
    return `Request body must not exceed ${context.bodyLimitBytes ?? 0} bytes.`;
  }
  return fault.message;
}

function attributeOf(fault: ServiceError): string | null {
  if (NAMES_ATTRIBUTE.has(fault.code)) return fault.details.path ?? null;
  return fault.spec.verify?.attribute ?? null;
}
