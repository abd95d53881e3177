import { ERRORS } from '../../errors/catalogue.ts';
import { isServiceError, type ServiceError } from '../../errors/service-error.ts';
import type { ErrorContext, HttpResponse } from '../exchange/exchange-types.ts';
import {
  allowHeader,
  asServiceError,
  clientOf,
  methodNotAllowedText,
  retryAfterHeader,
} from './error-answer.ts';

/** The five members of every refusal of sign-in. */
export interface SigninErrorBody {
  readonly error: string;
  readonly error_description: string;
  readonly code: string;
  readonly detail: string;
  readonly attribute: string | null;
}

/** A refusal of sign-in, to be rendered as a page or as JSON. */
export interface SigninRefusal {
  readonly fault: ServiceError;
  readonly body: SigninErrorBody;
  /** The answer without its body and Content-Type. */
  readonly answer: Omit<HttpResponse, 'body'>;
}

/**
 * Returns the answer of sign-in to an error, with the body of spec/sign-in.md#error-body; `attribute` is the
 * path of the error.
 */
export function signinRefusal(error: unknown, context: ErrorContext): SigninRefusal {
  const fault = asServiceError(error);
  const clientId = clientOf(error, context.context);
  // An internal error has no nonce, so that the client does not repeat the request with it.
  const nonce = isServiceError(error) ? context.context.nonce?.() : undefined;
  const { signin } = fault.spec;
  const row = signin ?? ERRORS['internal.unforeseen'].signin;
  const text = row.text ?? textOf(fault, context);
  return {
    fault,
    body: {
      error: row.error,
      error_description: text,
      code: row.code,
      detail: text,
      attribute: signin === undefined ? null : (fault.details.path ?? null),
    },
    answer: {
      status: row.status,
      headers: {
        'Cache-Control': 'no-store',
        ...retryAfterHeader(row.status, fault),
        ...(fault.code === 'http.method_not_allowed' ? allowHeader(context.allow) : {}),
        ...(fault.details.challenge === undefined ? {} : { 'WWW-Authenticate': fault.details.challenge }),
        ...(nonce === undefined ? {} : { 'DPoP-Nonce': nonce }),
      },
      closeConnection: fault.code === 'http.body_too_large',
      logCode: fault.code,
      ...(clientId === undefined ? {} : { clientId }),
    },
  };
}

/**
 * Renders the JSON error body of sign-in, of the wallet bridge and of paths that belong to no other
 * interface.
 */
export function renderSigninError(error: unknown, context: ErrorContext): HttpResponse {
  const { body, answer } = signinRefusal(error, context);
  return {
    ...answer,
    headers: { ...answer.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

// error_description is ASCII 0x20 to 0x7E without `"` and `\` (RFC 6749 section 5.2).
function textOf(fault: ServiceError, { method }: ErrorContext): string {
  const text = fault.code === 'http.method_not_allowed' ? methodNotAllowedText(method) : fault.message;
  return text.replace(/[^\x20-\x7e]|["\\]/g, '?');
}
