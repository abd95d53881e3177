import type { ErrorCode } from '../errors/index.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';
import type { ErrorContext, HttpResponse } from './exchange-types.ts';

interface UnionError {
  readonly status: number;
  /** A registered OAuth or OIDC value. */
  readonly error: string;
  /** The code of the contract. */
  readonly code: string;
  readonly text: string;
}

const SERVER_ERROR: UnionError = {
  status: 500,
  error: 'server_error',
  code: 'server_error',
  text: 'Internal server error.',
};
const UNAVAILABLE: UnionError = {
  status: 503,
  error: 'temporarily_unavailable',
  code: 'server_error',
  text: 'The service is temporarily unavailable. Please try again.',
};

/** The union body of each cause that can arise outside the sign-in endpoints (signin.md sections 4.2 and 4.3). */
const UNION_ERRORS: Partial<Record<ErrorCode, UnionError>> = {
  'http.not_found': { status: 404, error: 'invalid_request', code: 'not_found', text: 'Not found.' },
  'http.method_not_allowed': {
    status: 405,
    error: 'invalid_request',
    code: 'method_not_allowed',
    text: '',
  },
  'http.repeated_header': {
    status: 400,
    error: 'invalid_request',
    code: 'invalid_request',
    text: 'A header that must be sent once was repeated.',
  },
  'http.malformed_path': {
    status: 400,
    error: 'invalid_request',
    code: 'invalid_request',
    text: 'The request path is malformed.',
  },
  'http.body_too_large': {
    status: 413,
    error: 'invalid_request',
    code: 'request_too_large',
    text: 'The request body is too large.',
  },
  'http.rate_limited': {
    status: 429,
    error: 'temporarily_unavailable',
    code: 'rate_limit',
    text: 'Too many requests. Please try again later.',
  },
  'http.unavailable': UNAVAILABLE,
  'http.handler_timeout': UNAVAILABLE,
  'store.unreachable': UNAVAILABLE,
};

/** Error body of paths that belong to no other interface: the union body of signin.md section 4.1. */
export function renderSigninError(error: unknown, context: ErrorContext): HttpResponse {
  const fault = asServiceError(error);
  const answer = UNION_ERRORS[fault.code] ?? SERVER_ERROR;
  const text = fault.code === 'http.method_not_allowed' ? unionText(context.method) : answer.text;
  return {
    status: answer.status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...retryAfterHeader(answer.status, fault),
      ...(fault.code === 'http.method_not_allowed' ? allowHeader(context.allow) : {}),
    },
    body: JSON.stringify({
      error: answer.error,
      error_description: text,
      code: answer.code,
      detail: text,
      attribute: null,
    }),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
  };
}

// error_description is ASCII 0x20 to 0x7E without `"` and `\` (RFC 6749 section 5.2).
function unionText(method: string): string {
  return methodNotAllowedText(method.replace(/[^\x20-\x7e]|["\\]/g, '?'));
}
