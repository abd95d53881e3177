import { isChainSource, quorumOf, type RootSource } from '../../../config/roots/source-types.ts';
import type { RootsConfig } from '../../../config/settings/types.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { RootSourceRow } from '../../../storage/root-sources.ts';
import type { RootRow } from '../../../storage/roots.ts';
import type { Store } from '../../../storage/store.ts';
import { type ProviderState, parseProviders } from '../reader/provider-states.ts';

/** A source with its state, for operators; times are ages in seconds. */
export interface SourceListing {
  readonly id: string;
  /** False if it is in the store but no longer in the configuration. */
  readonly isConfigured: boolean;
  readonly kind: RootSource['kind'] | undefined;
  readonly environment: RootSource['environment'];
  readonly tree: RootSource['tree'];
  readonly chainId: number | undefined;
  /** Address of the contract, or host of the feed. */
  readonly place: string | undefined;
  readonly quorum: number | undefined;
  /** State `unknown` before the first round. */
  readonly providers: readonly ProviderState[];
  readonly block: number | undefined;
  readonly lagSeconds: number | undefined;
  readonly isStale: boolean;
  /** Whether its last round failed. */
  readonly isFailing: boolean;
  readonly currentRoot: string | undefined;
  readonly currentRootAgeSeconds: number | undefined;
  /** Blocks of the look-back that are still to be read. */
  readonly backfillBlocksLeft: number;
  readonly leaseHolder: string | undefined;
  readonly lastError: string | undefined;
  readonly lastErrorAgeSeconds: number | undefined;
}

/** Lists the configured sources, then those that are only in the store. @throws ServiceError `store.unreachable` */
export async function listSources(
  roots: Pick<RootsConfig, 'sources' | 'rpc' | 'quorum'>,
  store: Pick<Store, 'rootSources' | 'roots' | 'leases'>,
  now: number,
): Promise<SourceListing[]> {
  const rows = await store.rootSources.list();
  const current = await store.roots.listCurrent();
  const former = rows.filter(({ id }) => !roots.sources.some((source) => source.id === id));
  const list = [
    ...roots.sources.map((source) => ({ source, row: rows.find(({ id }) => id === source.id) })),
    ...former.map((row) => ({ source: undefined, row })),
  ];
  return await Promise.all(
    list.map(async ({ source, row }) => {
      const { id, environment, tree } = (source ?? row) as RootSource | RootSourceRow;
      const leaseHolder = await store.leases.holder(`roots:${id}`, now);
      const root = current.find((each) => each.environment === environment && each.tree === tree);
      return {
        id,
        isConfigured: source !== undefined,
        environment,
        tree,
        leaseHolder,
        ...settingsOf(source, roots),
        ...stateOf(row, source, root, now),
        providers: providersOf(source, row, roots),
      };
    }),
  );
}

function settingsOf(
  source: RootSource | undefined,
  roots: Pick<RootsConfig, 'rpc' | 'quorum'>,
): Pick<SourceListing, 'kind' | 'chainId' | 'place' | 'quorum'> {
  if (source === undefined)
    return { kind: undefined, chainId: undefined, place: undefined, quorum: undefined };
  const { kind } = source;
  if (!isChainSource(source)) {
    return { kind, chainId: undefined, place: new URL(source.url).host, quorum: undefined };
  }
  const quorum = quorumOf(roots, roots.rpc[source.rpc] ?? []);
  return { kind, chainId: source.chainId, place: source.contract, quorum };
}

function stateOf(
  row: RootSourceRow | undefined,
  source: RootSource | undefined,
  root: RootRow | undefined,
  now: number,
): Omit<
  SourceListing,
  | keyof ReturnType<typeof settingsOf>
  | 'id'
  | 'isConfigured'
  | 'environment'
  | 'tree'
  | 'leaseHolder'
  | 'providers'
> {
  const ageOf = (time: number | null | undefined): number | undefined =>
    time === null || time === undefined ? undefined : Math.max(0, Math.floor((now - time) / 1000));
  const lagSeconds = ageOf(row?.targetTime);
  const block = row?.checkpoint?.block;
  const backfillTo = row?.backfillTo ?? null;
  return {
    block,
    lagSeconds,
    isStale: source !== undefined && lagSeconds !== undefined && lagSeconds > source.staleAfterSeconds,
    isFailing: (row?.lastErrorAt ?? 0) > (row?.lastOkAt ?? 0),
    currentRoot: root && toHex(root.root),
    currentRootAgeSeconds: ageOf(root?.receivedAt),
    backfillBlocksLeft: backfillTo === null ? 0 : Math.max(0, backfillTo - (block ?? row?.scanFrom ?? 0)),
    lastError: row?.lastError ?? undefined,
    lastErrorAgeSeconds: ageOf(row?.lastErrorAt),
  };
}

function providersOf(
  source: RootSource | undefined,
  row: RootSourceRow | undefined,
  { rpc }: Pick<RootsConfig, 'rpc'>,
): readonly ProviderState[] {
  const known = parseProviders(row?.providers ?? null);
  if (known.length > 0 || source === undefined) return known;
  const urls = isChainSource(source) ? (rpc[source.rpc] ?? []) : [source.url];
  return urls.map((url) => ({ host: new URL(url).host, state: 'unknown' }));
}
