import type { Setting } from './setting.ts';
import { integer } from './setting-rows.ts';

/** Limits of the listeners: per request, per client address, and for all clients together. */
export const HTTP_SETTINGS = [
  {
    type: 'choice',
    key: 'http.library',
    choices: ['auto', 'uws', 'node'],
    default: 'auto',
    sentence:
      'Library that serves HTTP: uWebSockets.js, which needs a binary for this Node, libc and processor, or `node:http`, which runs everywhere and takes more of the main thread; `auto` is the first that loads.',
  },
  integer(
    'http.bodyLimitBytes',
    'bytes',
    1_048_576,
    [1024, 1_073_741_824],
    'Largest body for routes that have no limit of their own.',
  ),
  integer(
    'http.maxOpenExchanges',
    'requests',
    4096,
    [1, 1_000_000],
    'Maximum number of requests served at the same time, each from the end of its body to its answer; more are answered 503, and readiness is false meanwhile.',
  ),
  integer(
    'http.maxUnfinished',
    'requests',
    4096,
    [1, 1_000_000],
    'Maximum number of requests that wait for their client, to send the rest of a body or to read an answer; beyond it, the oldest request of the address that has the most is ended.',
  ),
  integer(
    'http.maxUnfinishedPerAddress',
    'requests',
    1024,
    [1, 1_000_000],
    'Maximum number of such requests of one client address (IPv6: per /64); beyond it, its oldest is ended.',
  ),
  integer(
    'http.maxBodyBytes',
    'bytes',
    268_435_456,
    [1_048_576, 1_099_511_627_776],
    'Maximum memory for request bodies, both unfinished and being served; beyond it, the oldest unfinished request of the address that uses the most is answered 503. At least `http.bodyLimitBytes`.',
  ),
  integer(
    'http.maxBodyBytesPerAddress',
    'bytes',
    134_217_728,
    [1024, 1_099_511_627_776],
    'Maximum of that memory for one client address (IPv6: per /64). At least `http.bodyLimitBytes`.',
  ),
  integer(
    'http.maxConnections',
    'connections',
    8192,
    [16, 1_000_000],
    'Maximum number of open connections of the public listener, lower if the descriptor limit of the process requires it; beyond it, no new ones are accepted until some have ended. Each can hold 40 KiB of a request head that does not end.',
  ),
  integer(
    'http.maxConnectionsPerAddress',
    'connections',
    1024,
    [1, 1_000_000],
    'Maximum number of connections of one client address (IPv6: per /64) while more than a quarter of `http.maxConnections` are open, at most an eighth of `http.maxConnections`; proxies of `proxy.trusted` are not counted.',
  ),
  integer(
    'http.keepAliveSeconds',
    's',
    10,
    [1, 7200],
    'Time for which `node:http` keeps a connection for the next request. No effect with uWebSockets.js, whose time is compiled in. The time that counts is announced in answers (`Keep-Alive`); that of a balancer must be shorter.',
  ),
  integer(
    'http.handlerTimeoutMs',
    'ms',
    30_000,
    [100, 600_000],
    'Time in which a handler must answer, else 503.',
  ),
] as const satisfies readonly Setting[];
