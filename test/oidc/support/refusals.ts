import { expect } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import type { Reply } from './back-channel.ts';

/** A refusal, as specified. */
export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly code: string;
  readonly text: string;
  readonly attribute?: string;
  /** `WWW-Authenticate`, or absent where there must be none. */
  readonly challenge?: string;
}

/** Headers of every answer of the endpoints for clients (spec/sign-in.md#response-headers). */
export function expectNoStore({ headers }: Reply): void {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('pragma')).toBe('no-cache');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
}

/** Checks a refusal: status, the five members and no more, and headers. */
export function expectRefusal(reply: Reply, refusal: Refusal): void {
  const { status, error, code, text, attribute = null, challenge = null } = refusal;
  expect(reply.body).toEqual(errorBody(error, code, text, attribute));
  expect(text).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('www-authenticate')).toBe(challenge);
  expectNoStore(reply);
}

const FORM_TEXT = 'Invalid content type. Only application/x-www-form-urlencoded is supported.';
const TOO_LARGE = { status: 413, error: 'invalid_request', code: 'request_too_large' } as const;
const BODY_401 = { status: 401, error: 'invalid_client', code: 'unauthenticated' } as const;

/** Body of `/introspect` for any token that is not active. */
export const INACTIVE: Readonly<Record<string, unknown>> = {
  active: false,
  code: 'invalid_token',
  detail: 'Token is invalid or expired.',
  attribute: 'token',
};

/** Refusals that several endpoints share. */
export const REFUSALS: Readonly<
  Record<
    | 'notAForm'
    | 'bodyTooLarge'
    | 'authorizationTooLarge'
    | 'malformed'
    | 'rateLimited'
    | 'noCredentials'
    | 'wrongCredentials'
    | 'inactive',
    Refusal
  >
> = {
  notAForm: badRequest('invalid_request', FORM_TEXT, undefined, 'invalid_content_type'),
  bodyTooLarge: { ...TOO_LARGE, text: 'The request body is too large.' },
  authorizationTooLarge: { ...TOO_LARGE, text: 'The Authorization header is too large.' },
  malformed: badRequest(
    'invalid_request',
    'The parameters are not application/x-www-form-urlencoded in UTF-8.',
  ),
  rateLimited: {
    status: 429,
    error: 'temporarily_unavailable',
    code: 'rate_limit',
    text: 'Too many requests. Please try again later.',
  },
  noCredentials: { ...BODY_401, text: 'Please provide your app authentication credentials.' },
  wrongCredentials: { ...BODY_401, text: 'Invalid authentication credentials.' },
  inactive: {
    status: 401,
    error: 'invalid_token',
    code: 'invalid_token',
    text: 'Token is invalid or expired.',
    attribute: 'token',
  },
};

/** Returns the refusal of a method. */
export function wrongMethod(method: string): Refusal {
  return {
    status: 405,
    error: 'invalid_request',
    code: 'method_not_allowed',
    text: `HTTP method '${method}' is not allowed for this endpoint.`,
  };
}

/** Returns a refusal with status 400. */
export function badRequest(error: string, text: string, attribute?: string, code = error): Refusal {
  return { status: 400, error, code, text, ...(attribute === undefined ? {} : { attribute }) };
}

/** Returns the refusal of a parameter that was sent twice. */
export function repeated(name: string): Refusal {
  return badRequest('invalid_request', `${name}: expected once, got it again.`, name);
}

/** Returns the refusal of a parameter that is missing. */
export function missing(name: string): Refusal {
  return badRequest('invalid_request', 'This attribute is required.', name, 'required');
}
