import type { Config } from '../../../../config/settings/types.ts';
import { listSources, type SourceListing } from '../../../../membership/sources/operator/list-sources.ts';
import type { RootRow } from '../../../../storage/roots.ts';
import type { Store } from '../../../../storage/store.ts';
import type { CheckResult, CheckStatus } from '../../check.ts';

/** State of roots in the store, for several checks. */
export interface RootsState {
  /** Configured sources. */
  readonly sources: readonly SourceListing[];
  /** Trees that have a current root. */
  readonly trees: readonly Pick<RootRow, 'environment' | 'tree'>[];
}

const ORDER: readonly CheckStatus[] = ['ok', 'warn', 'fail'];

/** Reads the state of sources and trees. @throws ServiceError `store.unreachable` */
export async function rootsStateOf(config: Config, store: Store, now: number): Promise<RootsState> {
  const sources = await listSources(config.roots, store, now);
  return {
    sources: sources.filter(({ isConfigured }) => isConfigured),
    trees: await store.roots.listCurrent(),
  };
}

/** Makes one line of what was found, with the worst status and its cure; what is well is left out if anything is not. */
export function oneLine(name: string, found: readonly CheckResult[]): CheckResult {
  const rank = ({ status }: CheckResult): number => ORDER.indexOf(status);
  const worst = found.reduce((one, other) => (rank(other) > rank(one) ? other : one));
  const shown = worst.status === 'ok' ? found : found.filter(({ status }) => status !== 'ok');
  return { ...worst, name, detail: shown.map(({ detail }) => detail).join('; ') };
}
