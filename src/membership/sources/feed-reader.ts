import { createHash } from 'node:crypto';
import type { HttpSource } from '../../config/roots/source-types.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { callOut, type OutgoingAnswer } from '../../outgoing.ts';
import type { RootSourceStore } from '../../storage/root-sources.ts';
import type { RootRow, RootStore } from '../../storage/roots.ts';
import { type RootKeyRules, readRootLines } from '../roots/roots.ts';
import type { RoundResult } from './reader/source-reader.ts';
import type { RootReader } from './source-runner.ts';

/** Dependencies of a reader of a feed. */
export interface FeedReaderParts {
  readonly source: HttpSource;
  readonly store: { readonly rootSources: RootSourceStore; readonly roots: Pick<RootStore, 'put'> };
  readonly keyRules: RootKeyRules;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Ends a request when the service stops. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the number of ignored lines of other trees. */
  readonly onIgnored: (lines: number) => void;
}

const REFUSALS: readonly number[] = [401, 403];
const NOT_MODIFIED = 304;
const TOO_MANY = 429;

/** Creates the reader of the registry of another installation (spec/roots.md#http-feed). */
export function createFeedReader(parts: FeedReaderParts): RootReader {
  const { source, store, now } = parts;
  const { id, environment, tree } = source;
  const configHash = createHash('sha256').update(`http ${source.url} ${environment} ${tree}`).digest('hex');
  let etag: string | undefined;
  let lastError: string | undefined;

  const open: RootReader['open'] = () =>
    store.rootSources.open({ id, environment, tree, configHash: configHash.slice(0, 32) });

  async function round(): Promise<RoundResult> {
    try {
      const result = await readFeed();
      lastError = undefined;
      return result;
    } catch (cause) {
      lastError = isServiceError(cause) ? cause.code : undefined;
      throw cause;
    }
  }

  async function readFeed(): Promise<RoundResult> {
    const state = (await store.rootSources.find(id)) ?? (await open());
    // After a reset the roots are gone, so a "not modified" answer must not be possible.
    const answer = await fetchFeed(parts, state.targetTime === null ? undefined : etag);
    const isSame = answer.status === NOT_MODIFIED;
    if (!isSame) {
      const rows = await readFeedRows(parts, new TextDecoder().decode(answer.bytes));
      await store.roots.put(rows);
    }
    const { scanFrom, checkpoint, backfillTo, pendingRoots, keysAt } = state;
    const isCommitted = await store.rootSources.commit({
      source: state,
      progress: {
        scanFrom,
        checkpoint,
        backfillTo,
        pendingRoots,
        keysAt,
        targetTime: now(),
        logsAt: now(),
      },
      now: now(),
      providers: states(),
      events: [],
      lives: [],
      withdrawn: [],
      issuers: [],
      oprfKeys: [],
    });
    if (!isCommitted) return 'lost_race';
    etag = answer.headers.get('etag') ?? undefined;
    return isSame ? 'same' : 'advanced';
  }

  function states(): string {
    return JSON.stringify([{ host: new URL(source.url).host, state: lastError ?? 'up' }]);
  }

  return { open, round, unscheduledRound: round, providers: states };
}

/**
 * Fetches the lines of a feed.
 *
 * @param etag - ETag of the last answer; undefined fetches unconditionally.
 * @throws ServiceError `roots.unreachable`, `roots.bad_response`, `roots.refused`, `roots.rate_limited`
 */
export async function fetchFeed(
  {
    source,
    timeoutMs,
    maxResponseBytes,
    signal,
  }: Pick<FeedReaderParts, 'source' | 'timeoutMs' | 'maxResponseBytes' | 'signal'>,
  etag: string | undefined,
): Promise<OutgoingAnswer & { bytes: Uint8Array }> {
  const headers: Record<string, string> = { Accept: 'application/jsonl' };
  if (source.token !== undefined) headers.Authorization = `Bearer ${source.token}`;
  if (etag !== undefined) headers['If-None-Match'] = etag;
  const answer = await callOut({
    url: source.url,
    reach: 'any',
    headers,
    timeoutMs,
    maxBytes: maxResponseBytes,
    stop: signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ServiceError('roots.unreachable', `${source.id}: the feed does not answer`, {}, { cause });
  });
  const { status, isOk, bytes } = answer;
  if (bytes === undefined) {
    throw new ServiceError(
      'roots.bad_response',
      `${source.id}: the feed is longer than ${maxResponseBytes} bytes`,
    );
  }
  if (isOk || status === NOT_MODIFIED) return { ...answer, bytes };
  const text = `${source.id}: the feed answers with status ${status}`;
  if (REFUSALS.includes(status)) throw new ServiceError('roots.refused', text);
  throw new ServiceError(status === TOO_MANY ? 'roots.rate_limited' : 'roots.bad_response', text);
}

/**
 * Returns the rows of the tree of the source, the newest last, each with the time of its supersession.
 *
 * @throws ServiceError `roots.feed_invalid`, `store.unreachable`
 */
export async function readFeedRows(
  { source, keyRules, now, onIgnored }: Pick<FeedReaderParts, 'source' | 'keyRules' | 'now' | 'onIgnored'>,
  text: string,
): Promise<RootRow[]> {
  let ignored = 0;
  const isWanted = ({ environment, tree }: RootRow): boolean => {
    const isOwn = environment === source.environment && tree === source.tree;
    if (!isOwn) ignored++;
    return isOwn;
  };
  let rows: RootRow[];
  try {
    rows = await readRootLines(text.split('\n'), keyRules, now(), isWanted);
  } catch (cause) {
    if (!isServiceError(cause) || cause.code === 'store.unreachable') throw cause;
    throw new ServiceError('roots.feed_invalid', `${source.id}: ${cause.message}`, {}, { cause });
  }
  if (ignored > 0) onIgnored(ignored);
  const sorted = rows.toSorted((one, other) => one.receivedAt - other.receivedAt);
  return sorted.map((row, index) => ({
    ...row,
    source: source.id,
    supersededAt: row.supersededAt ?? sorted[index + 1]?.receivedAt ?? null,
  }));
}
