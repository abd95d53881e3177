import { callOut } from '../../outgoing.ts';
import type { RootRow } from '../../storage/roots.ts';
import type { Environment, Tree } from '../../storage/values.ts';
import type { MissedStatement, RootRefresh } from '../roots/root-registry.ts';
import { type RootMisses, treeKey } from './root-misses.ts';

/** Options of `querySequencer`. */
export interface OracleOptions {
  /** Address of the sequencer, without trailing slash. */
  readonly url: string;
  readonly timeoutMs: number;
}

const MAX_ANSWER_BYTES = 65_536;
const WORD_BYTES = 32;
const PROOF_BYTES = 256;

/**
 * Asks a sequencer whether it knows the root of a 3.0 proof (spec/roots.md#sequencer-oracle). It learns the nullifier.
 *
 * @returns False also if it does not answer in time.
 */
async function querySequencer(
  { url, timeoutMs }: OracleOptions,
  { bytes, maxAgeSeconds }: MissedStatement,
): Promise<boolean> {
  const [proof, inputs] = [bytes.subarray(0, PROOF_BYTES), bytes.subarray(PROOF_BYTES)];
  const word = (bytes: Uint8Array, index: number): string =>
    `0x${Buffer.from(bytes.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES)).toString('hex')}`;
  const point = (...indexes: readonly number[]): string[] => indexes.map((index) => word(proof, index));
  const body = JSON.stringify({
    root: word(inputs, 0),
    nullifierHash: word(inputs, 1),
    signalHash: word(inputs, 2),
    externalNullifierHash: word(inputs, 3),
    proof: [point(0, 1), [point(2, 3), point(4, 5)], point(6, 7)],
  });
  try {
    const { isOk, bytes } = await callOut({
      url: `${url}/verifySemaphoreProof?maxRootAgeSeconds=${maxAgeSeconds}`,
      reach: 'any',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
    return bytes !== undefined && isOk;
  } catch {
    return false;
  }
}

/** Options of `createRootRefresh`. */
export interface RootRefreshOptions {
  readonly misses: RootMisses;
  /** URL of a sequencer by `<environment>.<tree>`. */
  readonly oracles: Readonly<Record<string, string>>;
  readonly waitMs: number;
  readonly maxWaiting: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Source name of roots that only a sequencer knows; such rows are never stored. */
const ORACLE_SOURCE = 'sequencer';

/** Creates the last resort for proofs over unknown roots: the source of the tree, then the sequencer, where configured. */
export function createRootRefresh(
  options: RootRefreshOptions,
): (environment: Environment, tree: Tree) => RootRefresh | undefined {
  const { misses, oracles, waitMs, maxWaiting, now } = options;
  const refreshes = new Map<string, RootRefresh | undefined>();
  let asking = 0;

  async function ask(
    place: Pick<RootRow, 'environment' | 'tree' | 'root'>,
    url: string,
    statement: Parameters<RootRefresh>[1],
  ): Promise<RootRow | undefined> {
    if (asking >= maxWaiting) return undefined;
    asking++;
    try {
      if (!(await querySequencer({ url, timeoutMs: waitMs }, statement))) return undefined;
    } finally {
      asking--;
    }
    return { ...place, receivedAt: now(), supersededAt: null, source: ORACLE_SOURCE, keyId: null };
  }

  function create(environment: Environment, tree: Tree): RootRefresh | undefined {
    const url = waitMs === 0 ? undefined : oracles[`${environment}.${tree}`];
    const hasSource = misses.has(environment, tree);
    if (!hasSource && url === undefined) return undefined;
    return async (root, statement) => {
      const row = hasSource ? await misses.find(environment, tree, root) : undefined;
      return row ?? (url === undefined ? undefined : ask({ environment, tree, root }, url, statement));
    };
  }

  return (environment, tree) => {
    const key = treeKey(environment, tree);
    if (!refreshes.has(key)) refreshes.set(key, create(environment, tree));
    return refreshes.get(key);
  };
}
