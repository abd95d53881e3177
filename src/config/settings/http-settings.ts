import type { Setting } from './setting.ts';
import { integer } from './setting-rows.ts';

/** Bounds of the listeners: what one request, one client address and all of them together may take. */
export const HTTP_SETTINGS: readonly Setting[] = [
  integer(
    'http.bodyLimitBytes',
    'bytes',
    1_048_576,
    [1024, 1_073_741_824],
    'Largest body where a route has no limit of its own.',
  ),
  integer(
    'http.maxOpenExchanges',
    'requests',
    4096,
    [1, 1_000_000],
    'Most requests served at once, each from the end of its body to its answer; more are answered 503, and readiness is false meanwhile.',
  ),
  integer(
    'http.maxUnfinished',
    'requests',
    4096,
    [1, 1_000_000],
    'Most requests that wait for their client, with a body that is not whole or an answer that is not read; beyond it the oldest of the address that has most of them is ended.',
  ),
  integer(
    'http.maxUnfinishedPerAddress',
    'requests',
    1024,
    [1, 1_000_000],
    'Most such requests of one client address (IPv6: per /64); beyond it its oldest is ended.',
  ),
  integer(
    'http.maxBodyBytes',
    'bytes',
    268_435_456,
    [1_048_576, 1_099_511_627_776],
    'Most memory for request bodies, unfinished ones and those being served together; beyond it the oldest unfinished request of the address that holds most is answered 503. At least `http.bodyLimitBytes`.',
  ),
  integer(
    'http.maxBodyBytesPerAddress',
    'bytes',
    134_217_728,
    [1024, 1_099_511_627_776],
    'Most of that memory for one client address (IPv6: per /64). At least `http.bodyLimitBytes`.',
  ),
  integer(
    'http.maxConnections',
    'connections',
    16_384,
    [16, 1_000_000],
    'Most open connections of the public listener, fewer where the descriptor limit of the process asks for it; beyond it no new ones are accepted until some have ended.',
  ),
  integer(
    'http.maxConnectionsPerAddress',
    'connections',
    2048,
    [1, 1_000_000],
    'Most connections of one client address (IPv6: per /64) while more than a quarter of `http.maxConnections` are open, at most an eighth of them; proxies of `proxy.trusted` are not counted.',
  ),
  integer(
    'http.handlerTimeoutMs',
    'ms',
    30_000,
    [100, 600_000],
    'Time in which a handler must answer, else 503.',
  ),
];
