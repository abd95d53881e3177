import type { Environment, RootRow, Tree } from '../../storage/index.ts';
import type { RootRefresh } from '../roots/root-registry.ts';
import { type RootMisses, treeKey } from './root-misses.ts';
import { askSequencer } from './sequencer-oracle.ts';

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

/** Name of the source of roots that only a sequencer knows; such a row is never stored. */
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
      if (!(await askSequencer({ url, timeoutMs: waitMs }, statement))) return undefined;
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
