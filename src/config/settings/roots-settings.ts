import { CHAIN_IDS, type ChainName, SOURCE_TREES } from '../roots/presets.ts';
import type { Setting } from './setting.ts';
import { flag, integer, url } from './setting-rows.ts';

/** Chains for which providers can be configured. */
export const CHAIN_NAMES: readonly ChainName[] = [
  ...(Object.keys(CHAIN_IDS) as (keyof typeof CHAIN_IDS)[]),
  'custom',
];

const PROVIDERS: readonly Setting[] = CHAIN_NAMES.map((chain) => ({
  type: 'list',
  key: `roots.rpc.${chain}`,
  isSecret: true,
  default: [],
  maxItems: 8,
  pattern: '^https?://[^\\s]{1,2040}$',
  expected: '1 to 8 http or https URLs',
  sentence: `JSON-RPC providers of ${chain === 'custom' ? 'a chain that has no name here' : `the chain ${chain} (id ${CHAIN_IDS[chain]})`}; three of different operators are recommended.`,
}));

const ORACLES: readonly Setting[] = (['production', 'staging'] as const).flatMap((environment) =>
  SOURCE_TREES.filter((tree) => tree !== 'account').map((tree) => ({
    ...url(
      `roots.oracle.${environment}.${tree}`,
      undefined,
      `Address of a sequencer that is asked about roots of the tree ${tree} of the environment ${environment} that are not known; it learns every nullifier that it is asked about.`,
    ),
    isMaskedAddress: true,
  })),
);

/** Sources of roots (spec/roots.md#settings). */
export const ROOTS_SETTINGS = [
  {
    type: 'sources',
    key: 'roots.sources',
    default: [],
    sentence:
      'Sources that keep the roots of trees current: names of presets, in a file also objects; `config schema` lists their fields.',
  },
  ...PROVIDERS,
  {
    type: 'choice',
    key: 'roots.quorum',
    choices: ['auto', '1', '2', '3', '4', '5', '6', '7', '8'],
    default: 'auto',
    sentence:
      'Number of providers that must give the same answer; `auto` is 2, or 1 where a chain has a single provider.',
  },
  flag(
    'roots.allowSingleProvider',
    false,
    'Lets production trust a single provider, which can then invent roots; right for a node of your own.',
  ),
  integer('roots.rpcTimeoutMs', 'ms', 5000, [100, 60_000], 'Time for one call to a provider.'),
  integer(
    'roots.maxResponseBytes',
    'bytes',
    8_388_608,
    [65_536, 134_217_728],
    'Largest answer of a provider, after decompression.',
  ),
  integer(
    'roots.leaseSeconds',
    's',
    30,
    [3, 3600],
    'How long after its last sign of life another node takes over the sources of a node.',
  ),
  integer(
    'roots.missWaitMs',
    'ms',
    1500,
    [0, 60_000],
    'How long a request with a true proof over an unknown root waits while the source is asked; 0 asks no source.',
  ),
  integer(
    'roots.missMaxWaiting',
    'requests',
    256,
    [1, 100_000],
    'Maximum number of requests that wait for a source; more are answered as if the root were unknown.',
  ),
  integer(
    'roots.startWaitSeconds',
    's',
    30,
    [0, 3600],
    'How long a service without roots of a source waits for its first round before it reports ready.',
  ),
  integer(
    'roots.keysRefreshSeconds',
    's',
    3600,
    [60, 604_800],
    'How often all issuer and OPRF keys are read again, in addition to their events.',
  ),
  ...ORACLES,
] as const satisfies readonly Setting[];
