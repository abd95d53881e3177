import type { ErrorCode } from '../errors/index.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';
import type { ErrorContext, HttpResponse } from './exchange-types.ts';

interface RefreshError {
  readonly status: number;
  readonly error: string;
  readonly message: string;
}

const INTERNAL: RefreshError = { status: 500, error: 'INTERNAL_ERROR', message: 'Internal server error' };
const UNAVAILABLE: RefreshError = {
  status: 503,
  error: 'TEMPORARILY_UNAVAILABLE',
  message: 'The service is temporarily unavailable, please try again',
};

/** The answers below `/api/v1` that need no refresh endpoint (refresh.md section 11). */
const REFRESH_ERRORS: Partial<Record<ErrorCode, RefreshError>> = {
  'http.not_found': { status: 404, error: 'NOT_FOUND', message: 'Not found' },
  'http.method_not_allowed': { status: 405, error: 'METHOD_NOT_ALLOWED', message: '' },
  'http.repeated_header': {
    status: 400,
    error: 'INVALID_REQUEST',
    message: 'A header that must be sent once was repeated',
  },
  'http.malformed_path': {
    status: 400,
    error: 'INVALID_REQUEST',
    message: 'The request path is malformed',
  },
  'http.body_too_large': {
    status: 413,
    error: 'PAYLOAD_TOO_LARGE',
    message: 'The request body is too large',
  },
  'http.rate_limited': { status: 429, error: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' },
  'http.unavailable': UNAVAILABLE,
  'http.handler_timeout': UNAVAILABLE,
  'store.unreachable': UNAVAILABLE,
};

/** Error body of the refresh interface, `{"success":false,"error","message"}`, for paths below `/api/v1/`. */
export function renderRefreshError(error: unknown, context: ErrorContext): HttpResponse {
  const fault = asServiceError(error);
  const answer = REFRESH_ERRORS[fault.code] ?? INTERNAL;
  const isMethod = fault.code === 'http.method_not_allowed';
  const message = isMethod ? methodNotAllowedText(context.method) : answer.message;
  return {
    status: answer.status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...retryAfterHeader(answer.status, fault),
      ...(isMethod ? allowHeader(context.allow) : {}),
    },
    body: JSON.stringify({ success: false, error: answer.error, message }),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
  };
}
