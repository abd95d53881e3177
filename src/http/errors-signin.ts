import { ERRORS, type ServiceError } from '../errors/index.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';
import type { ErrorContext, HttpResponse } from './exchange-types.ts';

/**
 * Error body of sign-in, of the wallet bridge and of paths that belong to no other interface: the union body of
 * signin.md section 4.1. `attribute` is the path of the error.
 */
export function renderSigninError(error: unknown, context: ErrorContext): HttpResponse {
  const fault = asServiceError(error);
  const { signin } = fault.spec;
  const answer = signin ?? ERRORS['internal.unforeseen'].signin;
  const text = answer.text ?? textOf(fault, context);
  return {
    status: answer.status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...retryAfterHeader(answer.status, fault),
      ...(fault.code === 'http.method_not_allowed' ? allowHeader(context.allow) : {}),
      ...(fault.details.challenge === undefined ? {} : { 'WWW-Authenticate': fault.details.challenge }),
    },
    body: JSON.stringify({
      error: answer.error,
      error_description: text,
      code: answer.code,
      detail: text,
      attribute: signin === undefined ? null : (fault.details.path ?? null),
    }),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
    ...(fault.details.clientId === undefined ? {} : { clientId: fault.details.clientId }),
  };
}

// error_description is ASCII 0x20 to 0x7E without `"` and `\` (RFC 6749 section 5.2).
function textOf(fault: ServiceError, { method }: ErrorContext): string {
  const text = fault.code === 'http.method_not_allowed' ? methodNotAllowedText(method) : fault.message;
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?');
}
