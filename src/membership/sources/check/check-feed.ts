import type { HttpSource } from '../../../config/index.ts';
import { isServiceError } from '../../../errors/index.ts';
import type { RootRow } from '../../../storage/index.ts';
import type { KeyBindings } from '../../keys/verifying-keys.ts';
import { fetchFeed, readFeedRows } from '../feed-reader.ts';
import type { Registry4Settings } from './check-registry4.ts';
import { type CheckedStore, findRow, judgeRoot, type StoreOrReason } from './check-store.ts';
import { type CheckLine, fail, note, ok, type SourceReport, skip, type Verdict } from './report.ts';

/** What a check of a feed needs. */
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
export async function checkFeed(check: FeedCheck): Promise<SourceReport> {
  const { source, store, profile, bindings, now } = check;
  const report = (isReached: boolean, ...lines: readonly CheckLine[]): SourceReport => ({
    ...{ source, isReached, lines, providers: [] },
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
        ...{ source, now },
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
