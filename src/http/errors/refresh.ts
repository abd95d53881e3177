import { ERRORS } from '../../errors/catalogue.ts';
import type { ServiceError } from '../../errors/service-error.ts';
import type { RefreshAnswer } from '../../errors/spec.ts';
import type { ErrorContext, HttpResponse } from '../exchange/exchange-types.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';

/** Headers of every answer of the refresh interface (spec/refresh.md#responses). */
export const REFRESH_HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
} as const;

const CHALLENGE = { 'WWW-Authenticate': 'ZkpProof realm="refresh"' } as const;

/**
 * Renders the error body of the refresh interface, `{"success":false,"error","message"}`, for paths below
 * `/api/v1/`.
 */
export function renderRefreshError(error: unknown, context: ErrorContext): HttpResponse {
  const fault = asServiceError(error);
  const answer = refreshAnswerOf(fault);
  const isMethod = fault.code === 'http.method_not_allowed';
  const message = isMethod ? methodNotAllowedText(context.method) : (answer.text ?? fault.message);
  return {
    status: answer.status,
    headers: {
      ...REFRESH_HEADERS,
      ...retryAfterHeader(answer.status, fault),
      ...(isMethod ? allowHeader(context.allow) : {}),
      ...(answer.status === 401 ? CHALLENGE : {}),
    },
    body: JSON.stringify({
      success: false,
      ...(answer.error === undefined ? {} : { error: answer.error }),
      message,
    }),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
  };
}

/** Returns the wire form of an error; an error without one in this interface becomes an internal error. */
export function refreshAnswerOf(fault: ServiceError): RefreshAnswer {
  return fault.spec.refresh ?? ERRORS['internal.unforeseen'].refresh;
}
