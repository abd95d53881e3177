import { decodeJwt, type JWTPayload } from 'jose';
import { ServiceError } from '../../errors/service-error.ts';
import type { Parameters } from '../parameters.ts';

const REFUSALS = [
  ['request', 'authorize.request_not_supported'],
  ['request_uri', 'authorize.request_uri_not_supported'],
  ['registration', 'authorize.registration_not_supported'],
] as const;

/**
 * Refuses the parameters that this service does not support and must not silently ignore
 * (spec/sign-in.md#checks-answered-to-the-app, request-object).
 *
 * @throws ServiceError `authorize.request_not_supported`, `authorize.request_uri_not_supported`,
 *   `authorize.registration_not_supported`
 */
export function refuseRequestObjects(parameters: Parameters): void {
  for (const [path, code] of REFUSALS) {
    if (parameters.get(path) !== undefined) throw new ServiceError(code, undefined, { path });
  }
}

/** Members of a refused request object that decide how its refusal is delivered. */
export interface RefusedObject {
  readonly responseMode?: string;
  readonly state?: string;
}

/** Longest `state` that is read from a refused request object, in UTF-16 code units. */
const MAX_STATE_LENGTH = 4096;
// JSON can contain an unpaired surrogate; a URL cannot.
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads `response_mode` and `state` of the payload of `request`, without verifying it, for the delivery of
 * `request_not_supported` alone (spec/sign-in.md#mode-of-an-error-response). A payload that cannot be decoded has
 * neither.
 */
export function readRefusedObject(parameters: Parameters): RefusedObject {
  const { response_mode: responseMode, state } = payloadOf(parameters.get('request') ?? '');
  return {
    ...(typeof responseMode === 'string' ? { responseMode } : {}),
    ...(isState(state) ? { state } : {}),
  };
}

function payloadOf(jwt: string): JWTPayload {
  try {
    return decodeJwt(jwt);
  } catch {
    return {};
  }
}

function isState(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_STATE_LENGTH &&
    !UNPAIRED_SURROGATE.test(value)
  );
}
