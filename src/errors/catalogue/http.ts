import { INTERNAL_ITEM, SIGNIN_SERVER_ERROR, SIGNIN_UNAVAILABLE, UNAVAILABLE } from './answers.ts';

/** Refusals of the HTTP adapter, the same for every interface. */
export const HTTP_ERRORS = {
  'http.not_found': {
    title: 'No such path',
    cause: 'The path is not one of this listener. Paths are matched byte for byte.',
    cure: 'Check the path, a trailing slash and percent-encoding included.',
    retry: 'never',
    verify: { status: 404, code: 'not_found', detail: 'Not found.' },
    signin: { status: 404, error: 'invalid_request', code: 'not_found', text: 'Not found.' },
  },
  'http.method_not_allowed': {
    title: 'The path exists with another method',
    cause: 'The method is not among those of the Allow header.',
    cure: 'Use a method that the Allow header lists.',
    retry: 'never',
    verify: { status: 405, code: 'method_not_allowed' },
    signin: { status: 405, error: 'invalid_request', code: 'method_not_allowed' },
  },
  'http.repeated_header': {
    title: 'A header that must be single was sent twice',
    cause:
      'Host, Authorization or Content-Type arrived more than once; proxies and servers would disagree on which one counts.',
    cure: 'Send the header once.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'A header that must be sent once was repeated.',
    },
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'A header that must be sent once was repeated.',
    },
  },
  'http.malformed_path': {
    title: 'The path holds a malformed percent escape',
    cause: 'A percent sign is not followed by two hex digits, or the bytes are not UTF-8.',
    cure: 'Percent-encode the path once, as UTF-8.',
    retry: 'never',
    verify: {
      status: 400,
      code: 'invalid_request',
      detail: 'The request path is malformed.',
    },
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_request',
      text: 'The request path is malformed.',
    },
  },
  'http.not_json': {
    title: 'The body is not announced as JSON',
    cause: 'Content-Type is missing or another than application/json.',
    cure: 'Send Content-Type: application/json.',
    retry: 'never',
    signin: {
      status: 400,
      error: 'invalid_request',
      code: 'invalid_content_type',
      text: 'Invalid content type. Only application/json is supported.',
    },
  },
  'http.unavailable': {
    title: 'The service takes no new requests now',
    cause: 'It is draining before a stop, too many requests are open, or the store does not answer.',
    cure: 'Repeat the request after the time of Retry-After. See /health/ready on the admin listener for the cause.',
    retry: 'later',
    verify: UNAVAILABLE as typeof UNAVAILABLE,
    signin: SIGNIN_UNAVAILABLE as typeof SIGNIN_UNAVAILABLE,
  },
  'http.handler_timeout': {
    title: 'The handler did not answer in time',
    cause: 'The request took longer than http.handlerTimeoutMs.',
    cure: 'Repeat the request; if it happens often, look at store and engine times in /metrics.',
    retry: 'later',
    verify: UNAVAILABLE as typeof UNAVAILABLE,
    signin: SIGNIN_UNAVAILABLE as typeof SIGNIN_UNAVAILABLE,
  },
  'http.rate_limited': {
    title: 'Too many requests from this address',
    cause:
      'The address used up its allowance (verify.rateLimitPerSecond, verify.rateLimitBurst, rateLimits.*).',
    cure: 'Wait for the time of Retry-After.',
    retry: 'later',
    verify: {
      status: 429,
      code: 'rate_limit_exceeded',
      detail: 'Too many requests. Please try again later.',
    },
    signin: {
      status: 429,
      error: 'temporarily_unavailable',
      code: 'rate_limit',
      text: 'Too many requests. Please try again later.',
    },
  },
  'http.unauthenticated': {
    title: 'The admin token is missing or wrong',
    cause: 'The call needs Authorization: Bearer and the token of admin.token.',
    cure: 'Send the token, or set metrics.requireToken to false where only trusted hosts reach the listener.',
    retry: 'never',
  },
  'http.body_too_large': {
    title: 'The request body is over its limit',
    cause: 'Content-Length or the bytes received exceed the limit of the route.',
    cure: 'Send fewer items in one request, or raise the limit setting of the route.',
    retry: 'never',
    verify: { status: 413, code: 'payload_too_large' },
    signin: {
      status: 413,
      error: 'invalid_request',
      code: 'request_too_large',
      text: 'The request body is too large.',
    },
  },
  'internal.unforeseen': {
    title: 'A fault of ours',
    cause: 'The service met a state that it does not expect. The log line with the request id has the cause.',
    cure: 'Report it with the X-Request-Id of the answer.',
    retry: 'later',
    verify: {
      status: 500,
      code: 'internal_error',
      detail: 'Internal server error.',
    },
    verifyItem: INTERNAL_ITEM as typeof INTERNAL_ITEM,
    signin: SIGNIN_SERVER_ERROR as typeof SIGNIN_SERVER_ERROR,
  },
} as const;
