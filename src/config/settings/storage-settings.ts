import type { Setting } from './setting.ts';
import { integer } from './setting-rows.ts';

/** Settings of the store. */
export const STORAGE_SETTINGS = [
  {
    type: 'text',
    key: 'storage.url',
    isSecret: true,
    default: {
      text: '`libsql:<dataDir>/proofgate.db` (production: must be set)',
      compute: (input) => `libsql:${input.value('dataDir')}/proofgate.db`,
    },
    pattern: '^(libsql|postgres(ql)?):.+$',
    expected: 'libsql:<path> or postgres://<user>@<host>/<database>',
    sentence:
      'The store: a file, or a PostgreSQL database that several nodes share. A secret, because such a URL may hold a password.',
    requiredInProduction: 'name the store, e.g. libsql:/var/lib/proofgate/proofgate.db',
  },
  {
    type: 'text',
    key: 'storage.password',
    isSecret: true,
    default: undefined,
    pattern: '^[^\\r\\n]+$',
    expected: 'the password of the user that storage.url names',
    sentence:
      'Password for PostgreSQL, in place of one in `storage.url`. In a file it may change at any time: it is read at each login.',
  },
  integer(
    'storage.poolSize',
    'connections',
    10,
    [1, 1000],
    'Maximum number of connections of this process to PostgreSQL.',
  ),
  {
    type: 'boolean',
    key: 'storage.prepare',
    default: true,
    sentence:
      'Prepares statements by name on PostgreSQL; must be false behind a pooler that shares sessions between clients and does not track prepared statements.',
  },
  integer(
    'storage.timeoutMs',
    'ms',
    4000,
    [100, 60_000],
    'Time limit for one call to PostgreSQL, including the wait for a connection.',
  ),
  {
    type: 'boolean',
    key: 'storage.allowVolatile',
    default: false,
    sentence:
      'Allows a start in production on a PostgreSQL server that may lose acknowledged writes in a crash (`fsync`, `full_page_writes` or `synchronous_commit` off).',
  },
  {
    type: 'boolean',
    key: 'storage.allowSharedFile',
    default: false,
    sentence:
      'Allows several servers on one database file, each with its own limits and caches; only in the profiles `test` and `bench`, for the test suites.',
  },
  integer('storage.groupMaxRows', 'rows', 512, [1, 4096], 'Maximum number of nullifiers in one commit.'),
  integer(
    'storage.groupMaxDelayMs',
    'ms',
    0,
    [0, 1000],
    'Time a commit may wait for more rows; 0: a group is the rows that arrived during the previous commit.',
  ),
  integer(
    'storage.cacheSeconds',
    's',
    5,
    [0, 3600],
    'Time within which a change by another process becomes visible.',
  ),
  integer(
    'storage.sweepIntervalSeconds',
    's',
    60,
    [0, 86_400],
    'Time between removals of expired rows; 0 turns them off.',
  ),
  integer(
    'storage.sweepBatchRows',
    'rows',
    1000,
    [1, 100_000],
    'Maximum number of expired rows that one statement removes.',
  ),
] as const satisfies readonly Setting[];
