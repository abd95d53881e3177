import { parseAddress } from '../../addresses.ts';
import { EDGE_SETTINGS } from './edge-settings.ts';
import { GROTH16_SETTINGS } from './groth16-settings.ts';
import { HTTP_SETTINGS } from './http-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { RATE_LIMIT_SETTINGS } from './rate-limit-settings.ts';
import { REFRESH_SETTINGS } from './refresh-settings.ts';
import { ROOTS_SETTINGS } from './roots-settings.ts';
import { RP_SETTINGS, SIGNIN_WORLDID4_SETTINGS } from './rp-settings.ts';
import { PROFILES, type Setting, type TextSetting } from './setting.ts';
import {
  byProfile,
  flag,
  host,
  integer,
  isProduction,
  keyBinding,
  newSecretFile,
  sameAs,
  url,
} from './setting-rows.ts';
import { frontEndsOf, MAX_FRONT_ENDS, workersBeside } from './shape.ts';
import { SIGNIN_SETTINGS } from './signin-settings.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';
import { WEBHOOK_SETTINGS } from './webhook-settings.ts';
import { WORLDID4_SETTINGS } from './worldid4-settings.ts';

/** Whether a host is an address of this machine only. */
export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || parseAddress(hostName)?.range() === 'loopback';
}

function isInfoLogged(level: string): boolean {
  return ['info', 'debug', 'trace'].includes(level);
}

const ENVIRONMENTS = ['production', 'staging'] as const;
const TREES = ['orb', 'device', 'document', 'secure_document', 'face'] as const;
const CEREMONY_KEY = 'semaphore-depth30';
const DEVELOPMENT_KEY = 'dev-depth30';

const KEY_BINDINGS: readonly TextSetting[] = ENVIRONMENTS.flatMap((environment) => [
  keyBinding(
    `verify.key.${environment}`,
    environment === 'production' ? CEREMONY_KEY : byProfile(DEVELOPMENT_KEY, CEREMONY_KEY),
    `Id of the verifying key for roots of the environment ${environment}.`,
  ),
  ...TREES.map((tree) =>
    keyBinding(
      `verify.key.${environment}.${tree}`,
      undefined,
      `Id of the verifying key for roots of the tree ${tree} of the environment ${environment}, in place of \`verify.key.${environment}\`.`,
    ),
  ),
]);

/** The one list of settings. A computed default reads only settings above its own. */
const ROWS = [
  {
    type: 'choice',
    key: 'profile',
    choices: PROFILES,
    default: 'development',
    sentence:
      'Kind of deployment: `production` accepts only values that an operator chose; `test` and `bench` are `development` with the known-trapdoor key, for the test suites.',
  },
  {
    type: 'text',
    key: 'dataDir',
    default: './.proofgate',
    pattern: '^[^\\u0000]{1,4096}$',
    expected: 'a path',
    sentence:
      'Folder of the store and of values generated in development; relative to the working directory.',
  },
  {
    type: 'boolean',
    key: 'allowUntrustedFiles',
    default: false,
    sentence:
      'Lets a command that runs as root use configuration, secret files, files of TLS and folders of data that another user can write. Counts in the environment and as a flag.',
  },
  integer('server.port', 'port', 8080, [0, 65535], 'Port of the public listener; 0 takes a free one.'),
  host('server.host', byProfile('127.0.0.1', '0.0.0.0'), 'Address of the public listener.'),
  {
    type: 'text',
    key: 'server.frontEnds',
    alias: 'front-ends',
    default: '1',
    pattern: '^(auto|[1-9]|[1-5][0-9]|6[0-4])$',
    numbers: [1, MAX_FRONT_ENDS],
    expected: `auto or a number from 1 to ${MAX_FRONT_ENDS}`,
    sentence:
      'Threads that serve the public listener, each with its share of `engine.workers`; `auto` is half of the processors that this process may use, at most one for each worker. More than one needs uWebSockets.js, so not `http.library` `node`.',
  },
  {
    type: 'boolean',
    key: 'server.hstsIncludeSubDomains',
    default: false,
    sentence:
      'Adds `includeSubDomains` to `Strict-Transport-Security` of the public listener: browsers then refuse http at every host below that of the service for a year, also at those of other services.',
  },
  {
    type: 'boolean',
    key: 'server.allowExposedDevelopment',
    default: false,
    sentence: 'Allows a `server.host` that is not loopback in the development profile.',
  },
  {
    type: 'boolean',
    key: 'development.makeCircuit',
    default: {
      text: '`true` in the profile development, else `false`',
      compute: ({ profile }) => profile === 'development',
    },
    sentence:
      'Builds the development circuit in the background if the service starts without one; never in production.',
  },
  {
    ...url(
      'baseUrl',
      {
        text: '`http://localhost:8080`, with the port of `server.port` (production: must be set)',
        compute: (input) => `http://localhost:${input.value('server.port') || 8080}`,
      },
      'Public address of the service; never derived from a request. Sign-in, bridge, wallet and demo are served below its path.',
    ),
    requiredInProduction: 'set it to the address that clients use, e.g. https://id.example.com',
  },
  url(
    'issuerUrl',
    sameAs('baseUrl'),
    'Public address of the credential refresh interface, which is served below its path.',
  ),
  url(
    'verifyUrl',
    sameAs('baseUrl'),
    'Public address of the verification interface, which is served below its path.',
  ),
  {
    type: 'boolean',
    key: 'verify.enabled',
    default: true,
    sentence: 'Serves the verification interface; if off, it answers 404.',
  },
  integer('verify.bodyLimitBytes', 'bytes', 262_144, [1024, 16_777_216], 'Largest body of a verification.'),
  integer('verify.maxResponses', 'items', 64, [1, 1024], 'Maximum number of proofs in one verification.'),
  {
    type: 'choice',
    key: 'verify.sandbox',
    choices: ['refuse', 'staging'],
    default: 'refuse',
    sentence:
      'Whether proofs of the environment sandbox, which the libraries of wallets send for tests, are refused or checked as those of staging; then only apps whose policy allows staging accept them.',
  },
  integer('verify.deadlineMs', 'ms', 10_000, [100, 600_000], 'Time in which every proof must be answered.'),
  integer(
    'verify.rateLimitPerSecond',
    'requests/s',
    0,
    [0, 1_000_000],
    'Verifications per second and client address (IPv6: per /64), counted per node; 0 turns the limit off.',
  ),
  integer(
    'verify.rateLimitBurst',
    'requests',
    0,
    [0, 1_000_000],
    'Verifications that an address may send in a burst; a value below the rate counts as the rate.',
  ),
  ...KEY_BINDINGS,
  ...WORLDID4_SETTINGS,
  ...GROTH16_SETTINGS,
  ...ROOTS_SETTINGS,
  {
    type: 'boolean',
    key: 'bridge.enabled',
    default: true,
    sentence: 'Serves the wallet bridge below the path of `baseUrl`; if off, it answers 404.',
  },
  {
    type: 'boolean',
    key: 'bridge.rootAlias',
    default: {
      text: '`true` (production `false`)',
      compute: (input) => !isProduction(input),
    },
    sentence:
      'Serves the bridge calls also at `/request` and `/response`, because IDKit drops the path of a bridge URL.',
  },
  integer(
    'bridge.bodyLimitBytes',
    'bytes',
    65_536,
    [1024, 5_242_880],
    'Largest message of the bridge; at most `http.bodyLimitBytes`.',
  ),
  integer(
    'bridge.maxEntries',
    'items',
    20_000,
    [1, 1_000_000],
    'Maximum number of messages of third parties on the bridge, over all processes; beyond it, the oldest message of the network that holds the most is evicted for a network that holds much less, else the answer is 503. Sign-ins of this service do not count.',
  ),
  integer(
    'bridge.maxBytes',
    'bytes',
    268_435_456,
    [5_242_880, 1_099_511_627_776],
    'Maximum total bytes of the messages of third parties on the bridge, over all processes. A request counts 4096 bytes more, the space for its answer.',
  ),
  integer(
    'bridge.maxEntriesPerAddress',
    'items',
    500,
    [1, 1_000_000],
    'Maximum number of these messages from one client address (IPv6: per /64), over all processes; more are answered 429.',
  ),
  integer(
    'bridge.maxBytesPerAddress',
    'bytes',
    {
      text: '`8388608`, or 16 times `bridge.bodyLimitBytes` if that is more',
      compute: (input) => Math.max(8_388_608, 16 * Number(input.value('bridge.bodyLimitBytes'))),
    },
    [69_888, 1_099_511_627_776],
    'Maximum total bytes of these messages from one client address (IPv6: per /64), over all processes; more are answered 429.',
  ),
  ...SIGNIN_SETTINGS,
  ...SIGNIN_WORLDID4_SETTINGS,
  ...REFRESH_SETTINGS,
  ...KEY_SETTINGS,
  ...RATE_LIMIT_SETTINGS,
  ...EDGE_SETTINGS,
  host('admin.host', '127.0.0.1', 'Address of the admin listener (health, metrics).'),
  integer('admin.port', 'port', 9090, [0, 65535], 'Port of the admin listener; 0 takes a free one.'),
  {
    type: 'text',
    key: 'admin.token',
    isSecret: true,
    default: { text: 'generated in development (production: must be set)', compute: () => undefined },
    pattern: '^[\\x21-\\x7e]{16,512}$',
    expected: '16 to 512 visible ASCII characters',
    sentence: 'Bearer token of the admin listener.',
    requiredInProduction: newSecretFile('admin.token'),
  },
  flag(
    'admin.allowPlainHttp',
    false,
    'Allows a start in production with `admin.host` at an address that is neither loopback nor private, without TLS: in a network that encrypts by itself, such as a mesh or WireGuard.',
  ),
  {
    type: 'list',
    key: 'admin.allowedHosts',
    default: [],
    maxItems: 32,
    pattern: '^[A-Za-z0-9._-]{1,255}$',
    expected: 'host names, separated by commas',
    sentence:
      'Names by which the admin listener may be called, besides IP addresses, `localhost`, `admin.host`, the host of `baseUrl` and the name of the machine.',
  },
  ...HTTP_SETTINGS,
  integer(
    'engine.workers',
    'threads',
    {
      text: 'the processors that this process may use − 1, or with several front ends − `server.frontEnds` − 1; at least one for each front end',
      compute: (input) =>
        workersBeside(frontEndsOf(input.value('server.frontEnds'), input.parallelism), input.parallelism),
    },
    [0, 1024],
    'Worker threads of the proof engine, divided among the front ends, each of which needs one; 0 runs the engine in the main thread, for debugging, with one front end.',
  ),
  {
    type: 'choice',
    key: 'engine.backend',
    choices: [
      'auto',
      'native',
      'wasm',
      'native-ifma',
      'native-avx2',
      'native-adx',
      'native-arm64',
      'native-portable',
      'native-ifma-emulated',
      'native-avx2-emulated',
      'wasm-relaxed',
      'wasm-simd',
      'wasm-scalar',
    ],
    default: 'auto',
    sentence:
      'Implementation of the arithmetic; `auto` selects the fastest that runs on this machine and passes its vectors, the addon before WASM. The longer names force one, for tests; the engine does not start if it cannot run.',
  },
  integer(
    'engine.maxQueue',
    'proofs',
    1024,
    [1, 1_000_000],
    'Maximum number of waiting proofs, summed over keys.',
  ),
  integer('engine.maxBatch', 'proofs', 256, [1, 4096], 'Maximum number of proofs in one task of a worker.'),
  integer(
    'engine.maxBatchDelayMs',
    'ms',
    0,
    [0, 1000],
    'Time a batch may wait for more proofs; 0: no timer, an idle worker takes all waiting proofs.',
  ),
  ...STORAGE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  {
    type: 'choice',
    key: 'log.level',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    sentence:
      'Least severity that is logged. Records of the audit log are logged at every level, and lines of requests by `log.access`.',
  },
  {
    type: 'choice',
    key: 'log.access',
    choices: ['all', 'failures', 'off'],
    default: {
      text: '`all` (`off` if `log.level` is `warn` or above)',
      compute: (input) => (isInfoLogged(String(input.value('log.level'))) ? 'all' : 'off'),
    },
    sentence:
      'Requests that have a line: `failures` are those that were refused, cut or slow, and a sample of the others. Internal errors are logged by `log.level`.',
  },
  integer(
    'log.accessSamplePercent',
    '%',
    1,
    [0, 100],
    'Share of the other requests that have a line while `log.access` is `failures`, chosen at random; the line has it as `samplePercent`.',
  ),
  integer(
    'log.accessSlowMs',
    'ms',
    1000,
    [1, 600_000],
    'Time from which a request counts as slow for `log.access`.',
  ),
  {
    type: 'choice',
    key: 'log.format',
    choices: ['json', 'pretty'],
    default: {
      text: '`json` (`pretty` on a terminal in development)',
      compute: (input) => (input.isTerminal && !isProduction(input) ? 'pretty' : 'json'),
    },
    sentence: 'Form of the log; `pretty` needs the development packages.',
  },
  {
    type: 'boolean',
    key: 'metrics.enabled',
    default: true,
    sentence: 'Serves `/metrics` on the admin listener.',
  },
  {
    type: 'boolean',
    key: 'metrics.requireToken',
    default: {
      text: '`true` unless `admin.host` is loopback',
      compute: (input) => !isLoopback(String(input.value('admin.host'))),
    },
    sentence: 'Requires `admin.token`, `metrics.token` or an admin token of either scope on `/metrics`.',
  },
  {
    type: 'text',
    key: 'metrics.token',
    isSecret: true,
    default: undefined,
    pattern: '^[\\x21-\\x7e]{16,512}$',
    expected: '16 to 512 visible ASCII characters',
    sentence: 'Bearer token that can read `/metrics` and nothing else, for a scraper.',
  },
  {
    type: 'boolean',
    key: 'docs.enabled',
    default: {
      text: '`true` (production `false`)',
      compute: (input) => !isProduction(input),
    },
    sentence:
      'Serves `/docs`, the reference of its calls, on the public listener; the admin listener always serves its own.',
  },
  {
    ...url(
      'tracing.endpoint',
      undefined,
      'Base address of an OpenTelemetry receiver (OTLP over HTTP, JSON): spans are sent to `/v1/traces` below it. Tracing is off if absent.',
    ),
    isMaskedAddress: true,
  },
  integer(
    'tracing.samplePercent',
    '%',
    100,
    [0, 100],
    'Share of the traces that are recorded, chosen by the trace id; of the traces of callers, those that they record themselves.',
  ),
  integer(
    'shutdown.drainDelayMs',
    'ms',
    byProfile(0, 5000),
    [0, 300_000],
    'Time between the first signal and the end of listening, for load balancers to notice.',
  ),
  integer('shutdown.timeoutMs', 'ms', 20_000, [0, 600_000], 'Time for open requests to finish.'),
  ...RP_SETTINGS,
] as const satisfies readonly Setting[];

/** A row of the list, with the types of its key and default. */
export type SettingRow = (typeof ROWS)[number];

/** The rows, in order. */
export const SETTINGS: readonly Setting[] = ROWS;

const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]));

/** Looks up the setting of a key. */
export function findSetting(key: string): Setting | undefined {
  return BY_KEY.get(key);
}
