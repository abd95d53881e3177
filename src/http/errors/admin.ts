import type { ServiceError } from '../../errors/service-error.ts';
import type { ErrorContext, HttpResponse } from '../exchange/exchange-types.ts';
import { allowHeader, asServiceError, methodNotAllowedText, retryAfterHeader } from './error-answer.ts';

/** Error body of the admin listener: `application/problem+json` (RFC 9457) with `code`, `errors` and `requestId`. */
export function renderAdminError(error: unknown, context: ErrorContext): HttpResponse {
  const fault = asServiceError(error);
  const status = fault.spec.admin ?? 500;
  const detail = detailOf(fault, context, status);
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      ...retryAfterHeader(status, fault),
      ...(fault.code === 'http.method_not_allowed' ? allowHeader(context.allow) : {}),
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="proofgate admin"' } : {}),
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: fault.spec.title,
      status,
      detail,
      code: fault.code,
      ...(status === 500 ? {} : errorsOf(fault, detail)),
      requestId: context.requestId,
    }),
    closeConnection: fault.code === 'http.body_too_large',
    logCode: fault.code,
  };
}

/** Returns the member `errors`, which names each wrong part of the request. */
function errorsOf({ details: { path, faults } }: ServiceError, detail: string): object {
  if (faults !== undefined) return { errors: faults.map(({ path, text }) => ({ path, detail: text })) };
  return path === undefined ? {} : { errors: [{ path, detail }] };
}

function detailOf(fault: ServiceError, context: ErrorContext, status: number): string {
  if (fault.code === 'http.method_not_allowed') return methodNotAllowedText(context.method);
  if (fault.code === 'http.body_too_large') {
    return `Request body must not exceed ${context.bodyLimitBytes ?? 0} bytes.`;
  }
  // The message of an internal error goes to the log, not to the wire.
  return status === 500 ? fault.spec.cure : fault.message;
}
