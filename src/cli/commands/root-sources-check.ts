import { type ChainSource, quorumOf, type RootSource } from '../../config/roots/source-types.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { SourceCheckParts } from '../../membership/sources/check/check-source.ts';
import type { StoreOrReason } from '../../membership/sources/check/check-store.ts';
import type { SourceReport } from '../../membership/sources/check/report.ts';
import type { Command, CommandContext } from '../program/command.ts';
import { checkJson, checkText } from './root-sources-check-output.ts';

/** Exit code for a source that cannot be reached, as of commands whose dependency is unreachable. */
const UNREACHABLE = 69;

/** `roots sources check`: checks sources, their providers and contracts; writes nothing. */
export const rootSourcesCheck: Command = {
  path: ['roots', 'sources', 'check'],
  summary: 'check providers, contracts and settings of the sources of roots',
  details:
    'Reads only, also while the server runs, and without a store on another machine. Exit code 1 if a check fails; 69 if none does but no provider of a source can be reached. A line with "note" is a condition that the source copes with.',
  arguments: [{ name: 'id', description: 'id of the source; all if absent', isOptional: true }],
  options: [{ flags: '--providers', description: 'list the facts of each provider' }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const sources = chosenSources(loaded, input.optionalArgument('id'));
    const reports =
      sources.length === 0
        ? []
        : await withStoreIfAny(loaded, context, (store) => checkAll(sources, loaded, context, store));
    const exitCode = exitCodeOf(reports);
    await context.print(checkJson(reports, exitCode === 0), checkText(reports, input.has('providers')));
    return exitCode;
  },
};

function chosenSources({ config }: LoadedConfig, id: string | undefined): readonly RootSource[] {
  const { sources } = config.roots;
  if (id === undefined) return sources;
  const chosen = sources.filter((source) => source.id === id);
  if (chosen.length > 0) return chosen;
  throw new ServiceError('roots.source_unknown', `roots.sources has no source ${id}`);
}

/** Sources are checked one after the other, since several may share the limits of a provider. */
async function checkAll(
  sources: readonly RootSource[],
  { config }: LoadedConfig,
  { now }: CommandContext,
  store: StoreOrReason,
): Promise<SourceReport[]> {
  const { checkSource } = await import('../../membership/sources/check/check-source.ts');
  const { createChain } = await import('../../chain/chain.ts');
  const { roots } = config;
  const { signal } = new AbortController();
  const openProviders: SourceCheckParts['openProviders'] = ({ chainId, rpc }: ChainSource) => {
    const urls = roots.rpc[rpc] ?? [];
    return createChain({
      urls,
      chainId,
      signal,
      now: Date.now,
      quorum: quorumOf(roots, urls),
      limits: { timeoutMs: roots.rpcTimeoutMs, maxResponseBytes: roots.maxResponseBytes },
      onDisagreement: () => undefined,
      observe: () => undefined,
    }).providers;
  };
  const reports: SourceReport[] = [];
  for (const source of sources) {
    reports.push(await checkSource(source, { config, store, openProviders, now, signal }));
  }
  return reports;
}

/**
 * Passes the store to the check, or the reason why there is none: providers can be checked from a machine without it.
 */
async function withStoreIfAny<T>(
  loaded: LoadedConfig,
  context: CommandContext,
  use: (store: StoreOrReason) => Promise<T>,
): Promise<T> {
  let isOpen = false;
  try {
    return await context.withStore(
      loaded,
      async (store) => {
        // The first read shows whether a server can be reached.
        const { pending } = await store.migrationStatus();
        isOpen = true;
        return await use(pending.length === 0 ? store : { absent: 'its migrations are pending' });
      },
      { anyVersion: true, readOnly: true },
    );
  } catch (error) {
    if (isOpen || !isServiceError(error)) throw error;
    if (error.code === 'store.absent') return await use({ absent: 'there is no store here' });
    if (error.code === 'store.unreachable') return await use({ absent: 'the store cannot be reached' });
    throw error;
  }
}

function exitCodeOf(reports: readonly SourceReport[]): number {
  const hasFailure = reports.some(
    ({ isReached, lines }) => isReached && lines.some(({ status }) => status === 'fail'),
  );
  if (hasFailure) return 1;
  return reports.every(({ isReached }) => isReached) ? 0 : UNREACHABLE;
}
