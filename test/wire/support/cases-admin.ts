/** Health and metrics: the admin listener, and `/healthz` of the public one. */
import { at, get, type WireCase } from './wire-case.ts';

const BEARER = 'Authorization: Bearer';

/** Cases of the admin listener. */
export const ADMIN_CASES: readonly WireCase[] = [
  ...at('open admin', [
    get('answers the liveness check', '/health/live'),
    get('answers the readiness check with each result', '/health/ready'),
    { ...get('lists every metric with its labels', '/metrics'), isExposition: true },
    get('has no other path', '/other'),
    get('has no path of the public interfaces', '/api/v4/verify/rp_47ac69c81397b357'),
    get('compares paths byte for byte', '/health/live/'),
    { title: 'refuses HEAD for liveness', request: { line: 'HEAD /health/live' } },
    { title: 'lists the methods of readiness', request: { line: 'OPTIONS /health/ready' } },
    { title: 'refuses DELETE of the metrics', request: { line: 'DELETE /metrics' } },
    { title: 'refuses POST to liveness', request: { line: 'POST /health/live', body: '{}' } },
    get('refuses a broken path', '/health/\xff'),
    get('makes its own request id for a caller that is no proxy', '/nothing', [
      'X-Request-Id: 01234567-89ab-cdef-0123-456789abcdef',
    ]),
    get('refuses two Authorization headers', '/metrics', [`${BEARER} one`, `${BEARER} two`]),
  ]),
  ...at('production admin', [
    get('asks for the token of the metrics', '/metrics'),
    get('refuses another token', '/metrics', [`${BEARER} something-else-0123456789`]),
    get('refuses another scheme', '/metrics', ['Authorization: Basic {{admin token}}']),
    get('limits wrong tokens', '/metrics', [`${BEARER} wrong`]),
    { ...get('takes the token', '/metrics', [`${BEARER} {{admin token}}`]), isExposition: true },
    get('answers readiness without a token', '/health/ready'),
    get('sends HSTS with an unknown path', '/nothing'),
  ]),
  get('answers the public readiness check', '/healthz'),
  { title: 'refuses HEAD for the public readiness check', request: { line: 'HEAD /healthz' } },
  { title: 'refuses POST to the public readiness check', request: { line: 'POST /healthz' } },
  ...at('production', [
    get('answers the public readiness check at the root', '/healthz'),
    get('answers the public readiness check below the path of the service', '/auth/healthz'),
  ]),
  ...at('disabled', [get('answers the public readiness check with all interfaces off', '/healthz')]),
];
