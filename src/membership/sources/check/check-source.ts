import type { Provider } from '../../../chain/provider/provider.ts';
import {
  type ChainSource,
  type HttpSource,
  isChainSource,
  quorumOf,
  type RootSource,
} from '../../../config/roots/source-types.ts';
import type { Config } from '../../../config/settings/types.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import type { RootRow } from '../../../storage/roots.ts';
import type { KeyBindings } from '../../keys/verifying-keys.ts';
import { fetchFeed, readFeedRows } from '../feed-reader.ts';
import { checkAgreement } from './check-agreement.ts';
import { checkProviders } from './check-providers.ts';
import { checkRegistry4, type Registry4Settings } from './check-registry4.ts';
import { type CheckedStore, checkStore, findRow, judgeRoot, type StoreOrReason } from './check-store.ts';
import { type CheckLine, fail, note, ok, type SourceReport, skip, type Verdict } from './report.ts';

/** Inputs for the check of a feed. */
export interface FeedCheck {
  readonly source: HttpSource;
  readonly profile: Registry4Settings['profile'];
  readonly bindings: KeyBindings;
  readonly store: StoreOrReason;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Checks that a feed can be fetched, that its lines are valid, and that the store has its current root. */
async function checkFeed(check: FeedCheck): Promise<SourceReport> {
  const { source, store, profile, bindings, now } = check;
  const report = (isReached: boolean, ...lines: readonly CheckLine[]): SourceReport => ({
    source,
    isReached,
    lines,
    providers: [],
  });
  let text: string;
  try {
    const { bytes } = await fetchFeed(check, undefined);
    text = new TextDecoder().decode(bytes);
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    const isReached = cause.code !== 'roots.unreachable';
    return report(isReached, { name: 'feed', ...fail(cause.message, cause.code) });
  }
  const feedLine: CheckLine = { name: 'feed', ...ok(`${new URL(source.url).host} answers`) };
  let rows: RootRow[];
  let ignored = 0;
  try {
    rows = await readFeedRows(
      {
        source,
        now,
        keyRules: { store: 'absent' in store ? NO_KEYS : store, profile, bindings },
        onIgnored: (lines) => {
          ignored = lines;
        },
      },
      text,
    );
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    return report(true, feedLine, { name: 'lines', ...fail(cause.message, cause.code) });
  }
  const { environment, tree } = source;
  const counts = `${rows.length} roots of ${environment}/${tree}, ${ignored} lines of other trees`;
  const linesLine: CheckLine = { name: 'lines', ...(rows.length === 0 ? note(counts) : ok(counts)) };
  return report(true, feedLine, linesLine, {
    name: 'root in the store',
    ...(await judgeNewest(check, rows.at(-1))),
  });
}

const NO_KEYS = { verifyingKeys: { find: async () => undefined } };

async function judgeNewest({ source, store, now }: FeedCheck, newest: RootRow | undefined): Promise<Verdict> {
  if (newest === undefined || newest.supersededAt !== null) return skip('the feed has no current root');
  const row = await findRow(source, store);
  if (!('id' in row)) return row;
  const published = { source, root: newest.root, at: newest.receivedAt, readUntil: row.targetTime };
  return judgeRoot({ ...published, store: store as CheckedStore, now: now() });
}

/** Dependencies of `checkSource`. */
export interface SourceCheckParts {
  readonly config: Registry4Settings & {
    readonly roots: Pick<Config['roots'], 'rpc' | 'quorum' | 'rpcTimeoutMs' | 'maxResponseBytes'>;
  };
  readonly store: StoreOrReason;
  /** Opens the providers of a source, with no facts known yet. */
  readonly openProviders: (source: ChainSource) => readonly Provider[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Cancels a request to a feed. */
  readonly signal: AbortSignal;
}

/**
 * Checks the set-up of a source: the capabilities of each provider, whether they agree with each other and with the
 * store, and for World ID 4.0 whether the contracts match the settings (spec/roots.md#commands). Reads only.
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
