import type { Provider } from '../../../chain/index.ts';
import {
  type ChainSource,
  type Config,
  isChainSource,
  quorumOf,
  type RootSource,
} from '../../../config/index.ts';
import { checkAgreement } from './check-agreement.ts';
import { checkFeed } from './check-feed.ts';
import { checkProviders } from './check-providers.ts';
import { checkRegistry4, type Registry4Settings } from './check-registry4.ts';
import { checkStore, type StoreOrReason } from './check-store.ts';
import type { SourceReport } from './report.ts';

/** Dependencies of `checkSource`. */
export interface SourceCheckParts {
  readonly config: Registry4Settings & {
    readonly roots: Pick<Config['roots'], 'rpc' | 'quorum' | 'rpcTimeoutMs' | 'maxResponseBytes'>;
  };
  readonly store: StoreOrReason;
  /** Returns the providers of a source, of which nothing is known yet. */
  readonly openProviders: (source: ChainSource) => readonly Provider[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends a request to a feed. */
  readonly signal: AbortSignal;
}

/**
 * Checks the set-up of a source: what each provider offers, whether they agree, whether the store agrees with them, and for
 * World ID 4.0 whether the contracts fit the settings (spec/roots.md#commands). Reads only.
 *
 * @throws ServiceError `key.*` for a bound key that cannot be used, `store.unreachable`
 */
export async function checkSource(source: RootSource, parts: SourceCheckParts): Promise<SourceReport> {
  const { config, store, now, signal } = parts;
  const { roots, profile, verify } = config;
  if (!isChainSource(source)) {
    const { rpcTimeoutMs: timeoutMs, maxResponseBytes } = roots;
    const bindings = verify.keys;
    return checkFeed({ source, profile, bindings, store, timeoutMs, maxResponseBytes, now, signal });
  }
  const providers = await checkProviders(source, parts.openProviders(source), now);
  const { isReached, reports, usable } = providers;
  if (usable.length === 0) return { source, isReached, providers: reports, lines: providers.lines };
  const quorum = quorumOf(roots, roots.rpc[source.rpc] ?? []);
  const agreement = await checkAgreement(source, usable, quorum);
  const stored = await checkStore(source, store, agreement, now());
  const { target } = agreement;
  const contracts =
    source.kind === 'registry4' && target !== undefined
      ? await checkRegistry4({ source, settings: config, store, providers: agreement.providers, target })
      : [];
  const lines = [...providers.lines, ...agreement.lines, ...stored, ...contracts];
  return { source, isReached, providers: reports, lines };
}
