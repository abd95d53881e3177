import type { Setting } from './setting.ts';
import { integer, perMinute, perMinutePer } from './setting-rows.ts';

/** Rate limits, mostly per client address (spec/operations.md#rate-limits). */
export const RATE_LIMIT_SETTINGS = [
  perMinute('rateLimits.authorize', 1200, 'Sign-ins that may be started per minute.'),
  perMinute('rateLimits.page', 3000, 'Requests for sign-in pages, their buttons and logos per minute.'),
  perMinutePer(
    'sign-in',
    'rateLimits.status',
    1200,
    'Status calls of one sign-in page per minute; the page makes 30.',
  ),
  perMinute('rateLimits.statusPerAddress', 12_000, 'Status calls of all sign-in pages together per minute.'),
  perMinute(
    'rateLimits.statusFailures',
    120,
    'Status calls per minute that do not carry the cookie of a sign-in; beyond it, only browsers that have sent their cookie before are answered.',
  ),
  perMinute(
    'rateLimits.par',
    600,
    'Pushed authorization requests per minute, of clients that have not authenticated.',
  ),
  perMinute(
    'rateLimits.token',
    600,
    'Token requests per minute, of clients that have not authenticated; apart from them, requests of /userinfo per person and client with a token that is bound to a key.',
  ),
  perMinute(
    'rateLimits.introspect',
    600,
    'Introspections per minute, of callers that have not authenticated.',
  ),
  perMinute('rateLimits.revoke', 600, 'Revocations per minute, of clients that have not authenticated.'),
  perMinutePer(
    'client',
    'rateLimits.clientCalls',
    60_000,
    'Calls per minute of a client that has authenticated, at /par, /token, /introspect and /revoke together, whatever its address.',
  ),
  perMinute(
    'rateLimits.clientAuthFailures',
    20,
    'Failed authentications of one client per minute, at /par, /token, /introspect and /revoke together.',
  ),
  perMinute(
    'rateLimits.bridge',
    1200,
    'Bridge calls per minute that store a message or name an id that the bridge does not hold.',
  ),
  perMinutePer(
    'client address (IPv6: per /64) and id',
    'rateLimits.bridgePolls',
    1200,
    'Polls of one request on the bridge per minute; IDKit makes 60.',
  ),
  perMinute('rateLimits.bridgePerAddress', 36_000, 'Bridge calls of any kind per minute.'),
  integer(
    'rateLimits.bridgeFailures',
    'requests/min',
    {
      text: '`120`, or `rateLimits.bridge` if that is less',
      compute: (input) => Math.min(120, Number(input.value('rateLimits.bridge'))),
    },
    [0, 1_000_000],
    'Bridge calls per minute that name an id that the bridge does not hold; beyond it, only calls with ids that the service has created or seen are answered. Counted per node and client address (IPv6: per /64); 0 turns the limit off.',
  ),
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
] as const satisfies readonly Setting[];
