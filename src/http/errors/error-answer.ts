import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { RequestContext } from '../exchange/exchange-types.ts';

/** Converts any thrown value to an error of the catalogue; anything else becomes `internal.unforeseen`. */
export function asServiceError(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  return new ServiceError('internal.unforeseen', undefined, {}, { cause: error });
}

/** Returns the registered client of sign-in that a refusal concerns, for the log and for CORS; none for another error. */
export function clientOf(error: unknown, { client }: RequestContext): string | undefined {
  return isServiceError(error) ? (error.details.clientId ?? client) : undefined;
}

const DEFAULT_RETRY_SECONDS = 1;
// spec/sign-in.md#store-unavailable
const STORE_RETRY_SECONDS = 5;

/** Returns `Retry-After` for 429 and 503, in whole seconds, at least 1; undefined for other statuses. */
export function retryAfterHeader(status: number, error: ServiceError): Record<string, string> | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const usual = error.code.startsWith('store.') ? STORE_RETRY_SECONDS : DEFAULT_RETRY_SECONDS;
  const seconds = Math.max(1, Math.ceil(error.details.retryAfterSeconds ?? usual));
  return { 'Retry-After': String(seconds) };
}

/** Returns the `Allow` header of a 405. */
export function allowHeader(allow: readonly string[] | undefined): Record<string, string> {
  return allow === undefined ? {} : { Allow: allow.join(', ') };
}

const MAX_METHOD_CHARACTERS = 32;

/** Returns the message of a 405, which names the method that the client sent, truncated. */
export function methodNotAllowedText(method: string): string {
  return `HTTP method '${method.slice(0, MAX_METHOD_CHARACTERS)}' is not allowed for this endpoint.`;
}
