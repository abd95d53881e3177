import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/errors/catalogue.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { renderAdminError } from '../../../src/http/errors/admin.ts';
import { renderRefreshError } from '../../../src/http/errors/refresh.ts';
import { renderSigninError } from '../../../src/http/errors/signin.ts';
import { renderVerifyError, verifyErrorResponse } from '../../../src/http/errors/verify.ts';
import {
  type ErrorContext,
  type HttpResponse,
  RequestContext,
} from '../../../src/http/exchange/exchange-types.ts';
import { errorBody } from '../../support/error-body.ts';

const CONTEXT: ErrorContext = {
  context: new RequestContext(),
  method: 'GET',
  params: { rp_id: 'rp_0123456789abcdef' },
  requestId: 'request-1',
  allow: ['POST', 'OPTIONS'],
  bodyLimitBytes: 262_144,
};
const ALL_CODES = Object.keys(ERRORS) as ErrorCode[];
const RENDERERS = { renderVerifyError, renderSigninError, renderRefreshError, renderAdminError };

function bodyOf(response: HttpResponse): Record<string, unknown> {
  return JSON.parse(String(response.body));
}

describe.each(Object.entries(RENDERERS))('%s', (_name, render) => {
  it.each(ALL_CODES)('answers %s with a status, its own code for the log and valid JSON', (code) => {
    const response = render(new ServiceError(code), CONTEXT);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.logCode).toBe(code);
    expect(bodyOf(response)).toBeTypeOf('object');
    expect(response.closeConnection).toBe(code === 'http.body_too_large');
    expect(response.headers?.Allow).toBe(code === 'http.method_not_allowed' ? 'POST, OPTIONS' : undefined);
    const retry = response.headers?.['Retry-After'];
    if (response.status === 429 || response.status === 503) expect(Number(retry)).toBeGreaterThanOrEqual(1);
    else expect(retry).toBeUndefined();
  });

  it.each([new Error('planted secret'), new TypeError('planted secret'), 'planted secret', undefined])(
    'answers 500 without the text of %s',
    (error) => {
      const response = render(error, CONTEXT);
      expect(response.status).toBe(500);
      expect(response.logCode).toBe('internal.unforeseen');
      expect(String(response.body)).not.toContain('planted');
    },
  );

  it('takes Retry-After from the error, rounded up to whole seconds', () => {
    const error = new ServiceError('http.unavailable', undefined, { retryAfterSeconds: 2.2 });
    expect(render(error, CONTEXT).headers?.['Retry-After']).toBe('3');
  });
});

const METHOD_TEXT = "HTTP method 'GET' is not allowed for this endpoint.";
const UNAVAILABLE_TEXT = 'The service is temporarily unavailable. Please try again.';
const RATE_TEXT = 'Too many requests. Please try again later.';
const INTERNAL_TEXT = 'Internal server error.';

// spec/verification.md#order-of-checks: the steps from the JSON syntax on, by the errors that the handler
// throws
describe('the verification body', () => {
  const UNREGISTERED = 'This rp_id or app_id is unknown here: no app with it is registered for verification.';
  const QUEUE_FULL = 'The verification queue is full. Please try again later.';
  const TOO_LATE = 'Verification did not finish in time. Please try again.';
  const beforeHandler: [ErrorCode, number, string, string][] = [
    ['http.method_not_allowed', 405, 'method_not_allowed', METHOD_TEXT],
    ['http.unavailable', 503, 'service_unavailable', UNAVAILABLE_TEXT],
    ['store.unreachable', 503, 'service_unavailable', UNAVAILABLE_TEXT],
    ['http.rate_limited', 429, 'rate_limit_exceeded', RATE_TEXT],
    ['http.body_too_large', 413, 'payload_too_large', 'Request body must not exceed 262144 bytes.'],
  ];
  const byHandler: [ErrorCode, number, string, string, attribute?: string][] = [
    ['verify.invalid_json', 400, 'invalid_request', 'Invalid JSON in request body'],
    [
      'verify.invalid_id',
      400,
      'invalid_request',
      'Invalid ID format. Expected app_id (app_xxx) or rp_id (rp_xxx).',
      'app_id',
    ],
    ['verify.app_not_registered', 400, 'app_not_migrated', UNREGISTERED],
    ['verify.rp_not_active', 400, 'rp_not_active', 'RP registration is not active.'],
    ['verify.app_disabled', 404, 'not_found', 'App not found. App may be no longer active.'],
    ['engine.busy', 503, 'engine_busy', QUEUE_FULL],
    ['verify.deadline', 503, 'engine_busy', TOO_LATE],
    ['verify.all_failed_internal', 500, 'internal_error', INTERNAL_TEXT],
    ['verify.all_failed', 400, 'all_verifications_failed', 'All proof verifications failed.'],
    ['verify.nullifier_store_unreachable', 503, 'internal_error', 'Failed to save nullifier.'],
    ['verify.nullifier_not_stored', 500, 'internal_error', 'Failed to save nullifier.'],
    ['internal.unforeseen', 500, 'internal_error', INTERNAL_TEXT],
  ];
  const rows = [
    ...beforeHandler.map((row) => [...row, null, {}] as const),
    ...byHandler.map(
      ([code, status, wireCode, detail, attribute = null]) =>
        [code, status, wireCode, detail, attribute, { app_id: 'rp_0123456789abcdef' }] as const,
    ),
  ];

  it.each(rows)('of %s is %i %s', (code, status, wireCode, detail, attribute, app) => {
    const response = renderVerifyError(new ServiceError(code), CONTEXT);
    expect(response.status).toBe(status);
    expect(bodyOf(response)).toEqual({
      success: false,
      code: wireCode,
      detail,
      attribute,
      ...app,
    });
    expect({ ...response.fixedHeaders?.set, ...response.headers }).toMatchObject({
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
    });
  });

  it('of a schema error has its message and its path, even when empty, and no app_id', () => {
    const error = new ServiceError('verify.schema', 'this cannot be null', { path: '' });
    expect(bodyOf(renderVerifyError(error, CONTEXT))).toEqual({
      success: false,
      code: 'validation_error',
      detail: 'this cannot be null',
      attribute: '',
    });
  });

  it('has the registered app_id and the results that the handler knows', () => {
    const results = [{ code: 'invalid_proof' }];
    const error = new ServiceError('verify.all_failed');
    expect(bodyOf(verifyErrorResponse(error, CONTEXT, { appId: 'app_1', results }))).toMatchObject({
      app_id: 'app_1',
      results,
    });
  });

  it('has no app_id when the path has none', () => {
    const response = renderVerifyError(new Error('x'), { ...CONTEXT, params: {} });
    expect(bodyOf(response)).not.toHaveProperty('app_id');
  });
});

describe('the union body of sign-in', () => {
  const REPEATED_TEXT = 'A header that must be sent once was repeated.';
  const NO_STATUS_TEXT = 'The request is unknown, expired or already answered.';
  const rows: [ErrorCode, number, string, string, string][] = [
    ['http.not_found', 404, 'invalid_request', 'not_found', 'Not found.'],
    ['http.method_not_allowed', 405, 'invalid_request', 'method_not_allowed', METHOD_TEXT],
    ['http.repeated_header', 400, 'invalid_request', 'invalid_request', REPEATED_TEXT],
    ['http.malformed_path', 400, 'invalid_request', 'invalid_request', 'The request path is malformed.'],
    ['http.body_too_large', 413, 'invalid_request', 'request_too_large', 'The request body is too large.'],
    ['http.rate_limited', 429, 'temporarily_unavailable', 'rate_limit', RATE_TEXT],
    ['http.unavailable', 503, 'temporarily_unavailable', 'server_error', UNAVAILABLE_TEXT],
    ['http.handler_timeout', 503, 'temporarily_unavailable', 'server_error', UNAVAILABLE_TEXT],
    ['store.unreachable', 503, 'temporarily_unavailable', 'server_error', UNAVAILABLE_TEXT],
    ['store.failed', 500, 'server_error', 'server_error', INTERNAL_TEXT],
    ['verify.schema', 500, 'server_error', 'server_error', INTERNAL_TEXT],
    ['internal.unforeseen', 500, 'server_error', 'server_error', INTERNAL_TEXT],
    ['bridge.no_status', 400, 'invalid_request', 'invalid_request', NO_STATUS_TEXT],
    ['bridge.not_found', 404, 'invalid_request', 'not_found', 'Not found.'],
    ['bridge.conflict', 409, 'invalid_request', 'conflict', 'This request_id is already in use.'],
    ['bridge.full', 503, 'temporarily_unavailable', 'server_error', UNAVAILABLE_TEXT],
  ];

  it.each(rows)('of %s is %i %s %s', (code, status, error, wireCode, text) => {
    const response = renderSigninError(new ServiceError(code), CONTEXT);
    expect(response.status).toBe(status);
    expect(bodyOf(response)).toEqual(errorBody(error, wireCode, text));
    expect(response.headers).toMatchObject({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
    });
  });

  it('has the path of the error as attribute, except for internal errors', () => {
    const attributeOf = (code: ErrorCode): unknown =>
      bodyOf(renderSigninError(new ServiceError(code, 'text', { path: 'iv' }), CONTEXT)).attribute;
    expect(attributeOf('bridge.invalid')).toBe('iv');
    expect(attributeOf('verify.schema')).toBeNull();
  });

  it('has the message when the row has no text, limited to the characters that OAuth allows', () => {
    const error = new ServiceError('bridge.invalid', 'expected "a\\b", got \u00fc');
    expect(bodyOf(renderSigninError(error, CONTEXT)).error_description).toBe('expected ?a?b?, got ?');
  });

  it('has all five members, with detail equal to error_description', () => {
    const body = bodyOf(renderSigninError(new ServiceError('http.not_found'), CONTEXT));
    expect(Object.keys(body)).toEqual(['error', 'error_description', 'code', 'detail', 'attribute']);
    expect(body.detail).toBe(body.error_description);
  });

  it.each(['A"B\\C', 'Ü\u0000', 'x'.repeat(99)])(
    'limits error_description to the characters that OAuth allows: %j',
    (method) => {
      const error = new ServiceError('http.method_not_allowed');
      const text = String(bodyOf(renderSigninError(error, { ...CONTEXT, method })).error_description);
      expect(text).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(text.length).toBeLessThan(100);
    },
  );
});

describe('the problem body of the admin listener', () => {
  it('is problem+json with code and request id', () => {
    const response = renderAdminError(new ServiceError('http.not_found'), CONTEXT);
    expect(response.headers?.['Content-Type']).toBe('application/problem+json');
    expect(bodyOf(response)).toEqual({
      type: 'about:blank',
      title: 'No such path',
      status: 404,
      detail: 'No such path',
      code: 'http.not_found',
      requestId: 'request-1',
    });
  });

  it('names the path of the offending input', () => {
    const error = new ServiceError('http.malformed_path', 'text', { path: 'id' });
    expect(bodyOf(renderAdminError(error, CONTEXT)).errors).toEqual([{ path: 'id', detail: 'text' }]);
  });
});
