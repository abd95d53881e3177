import type { Setting } from './setting.ts';
import { integer, perMinute, perMinutePer } from './setting-rows.ts';

/** Rate limits, mostly per client address (spec/operations.md#rate-limits). */
export const RATE_LIMIT_SETTINGS: readonly Setting[] = [
  perMinute('rateLimits.authorize', 60, 'Sign-ins that may be started per minute.'),
  perMinute('rateLimits.page', 3000, 'Requests for sign-in pages, their buttons and logos per minute.'),
  perMinutePer(
    'sign-in',
    'rateLimits.status',
    60,
    'Status calls of one sign-in page per minute; the page makes 30.',
  ),
  perMinute('rateLimits.statusPerAddress', 12_000, 'Status calls of all sign-in pages together per minute.'),
  perMinute(
    'rateLimits.statusFailures',
    120,
    'Status calls per minute that do not carry the cookie of a sign-in; beyond it, only browsers that have sent their cookie before are answered.',
  ),
  perMinute('rateLimits.par', 600, 'Pushed authorization requests per minute.'),
  perMinute(
    'rateLimits.token',
    600,
    'Token requests per minute; apart from them, requests of /userinfo with a token that is bound to a key.',
  ),
  perMinute('rateLimits.introspect', 600, 'Introspections per minute.'),
  perMinute('rateLimits.revoke', 600, 'Revocations per minute.'),
  perMinute(
    'rateLimits.clientAuthFailures',
    20,
    'Failed authentications of one client per minute, at /par, /token, /introspect and /revoke together.',
  ),
  perMinute('rateLimits.bridge', 120, 'Bridge calls per minute.'),
  perMinute('rateLimits.adminFailures', 10, 'Wrong tokens on the admin listener per minute.'),
  integer(
    'rateLimits.refreshPerIdComm',
    'credentials',
    5,
    [0, 1_000_000],
    'Credentials that a holder is issued in `rateLimits.refreshWindowSeconds`, over all processes; 0 turns the limit off.',
  ),
  integer(
    'rateLimits.refreshWindowSeconds',
    's',
    86_400,
    [1, 31_536_000],
    'Length of the sliding window of `rateLimits.refreshPerIdComm`.',
  ),
  integer(
    'rateLimits.refreshProofAttemptsPerMinute',
    'requests/min',
    {
      text: '`60` (test and bench `0`)',
      compute: ({ profile }) => (profile === 'test' || profile === 'bench' ? 0 : 60),
    },
    [0, 1_000_000],
    'Holder proofs and challenges of a refresh per client address (IPv6: per /64) and minute, counted over all processes; 0 turns the limit off.',
  ),
  integer(
    'rateLimits.refreshMalformed',
    'requests/min',
    {
      text: '`600` (test and bench `0`)',
      compute: ({ profile }) => (profile === 'test' || profile === 'bench' ? 0 : 600),
    },
    [0, 1_000_000],
    'Refreshes per client address (IPv6: per /64) and minute that are refused before the proof of their holder is checked: malformed forms, identifiers and proof headers; 0 turns the limit off.',
  ),
];
