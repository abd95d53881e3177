import type { AuditWriter } from './audit/audit-log.ts';
import { auditAll } from './audit/audit-writer.ts';
import { countRemoved, removeInBatches } from './batches.ts';
import {
  bytes,
  columns,
  converted,
  integer,
  NO_COLUMNS,
  named,
  optional,
  type RowOf,
  text,
  word,
} from './columns.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { guard, keysTemplate, list, point, returning, rowsTemplate, write } from './sql.ts';
import { allOrNothing, writeAll } from './transaction.ts';
import { type Bytes32, ENVIRONMENTS, TREES } from './values.ts';
import { type IssuerKey4Row, type OprfKey4Row, putIssuerKey4, putOprfKey4 } from './worldid4-keys.ts';

const PAGE_ROWS = 500;
const SWEEP_ROWS = 500;
const ROOT_BYTES = 32;

const BLOCK = columns({ block: integer, blockHash: bytes });
/** A block by number and hash. */
export type BlockRef = RowOf<typeof BLOCK>;

const PROGRESS = columns({
  /** First block of the scan; null until it is known. */
  scanFrom: optional(integer),
  /** Last block that was read; null until the first block of the scan is known. */
  checkpoint: BLOCK.together(),
  /** Time of the last block up to which the current root is known; null before the first round. */
  targetTime: optional(integer),
  /** Last block of the look-back; null once it has been read. */
  backfillTo: optional(integer),
  /** Roots that were taken as current before the look-back was read, the last one being current. */
  pendingRoots: named(
    'provisional',
    converted(optional(bytes), rootsOf, (roots) => (roots.length === 0 ? null : Buffer.concat(roots))),
  ),
  /** Time at which logs were last read. */
  logsAt: integer,
  /** Time at which all keys were last read. */
  keysAt: integer,
});
/** Progress of reading the chain of a source. Times are milliseconds since the epoch. */
export type SourceProgress = RowOf<typeof PROGRESS>;

const SOURCE = columns({
  id: text,
  /** Raised by every change that depends on the state. */
  version: integer,
  environment: word(ENVIRONMENTS),
  tree: word(TREES),
  /** Identifies the contracts that the state is about. */
  configHash: text,
  ...PROGRESS.members,
  lastOkAt: optional(integer),
  /** Code and message of the last failure. */
  lastError: optional(text),
  lastErrorAt: optional(integer),
  /** State of the providers as the last round found them, as JSON. */
  providers: optional(text),
});
/** State of a source of roots. */
export type RootSourceRow = RowOf<typeof SOURCE>;

const EVENT = columns({
  block: integer,
  /** Position in the block; −1 for a root that was current before the first change of the scan. */
  logIndex: integer,
  blockHash: bytes,
  root: bytes,
  /** Milliseconds since the epoch. */
  at: integer,
});
/** A change of the root that a source recorded. */
export type RootEventRow = RowOf<typeof EVENT>;

/** Period in which a root was current: milliseconds since the epoch, `supersededAt` null while it is. */
export interface RootLife {
  readonly root: Bytes32;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
}

/** Changes of one step of a round, committed in one transaction. */
export interface SourceChange {
  readonly source: Pick<RootSourceRow, 'id' | 'version' | 'environment' | 'tree'>;
  readonly progress: SourceProgress;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly providers: string;
  /** Removes the changes above this block. */
  readonly dropEventsAbove?: number;
  readonly events: readonly RootEventRow[];
  readonly lives: readonly RootLife[];
  /** Roots whose rows are removed, if they belong to this source. */
  readonly withdrawn: readonly Bytes32[];
  readonly issuers: readonly IssuerKey4Row[];
  readonly oprfKeys: readonly OprfKey4Row[];
}

const sourceById = point(SOURCE, `select ${SOURCE.list()} from root_sources where id = $1`);
const allSources = list(SOURCE, `select ${SOURCE.list()} from root_sources order by id`);
const insertSource = write(
  'insert into root_sources (id, version, environment, tree, config_hash, logs_at, keys_at) values ($1,1,$2,$3,$4,0,0) on conflict (id) do nothing',
);
/** Resets the progress of a source for the given contracts. */
const clearSource = write(
  'update root_sources set version = version + 1, environment = $2, tree = $3, config_hash = $4, scan_from = null, block = null, block_hash = null, target_time = null, backfill_to = null, provisional = null, logs_at = 0, keys_at = 0, last_ok_at = null where id = $1 returning 1',
);
/** Writes the progress of a source; fails if its version has changed. */
const advanceSource = guard(
  'update root_sources set version = version + 1, scan_from = $3, block = $4, block_hash = $5, target_time = $6, backfill_to = $7, provisional = $8, logs_at = $9, keys_at = $10, last_ok_at = $11, providers = $12 where id = $1 and version = $2 returning 1',
);
const failSource = write(
  'update root_sources set last_error = $2, last_error_at = $3, providers = $4 where id = $1',
);
const deleteSourceRoots = write('delete from roots where source = $1');
const deleteSourceEvents = write('delete from root_events where source = $1');
const lastEvent = point(
  EVENT,
  `select ${EVENT.list()} from root_events where source = $1 order by block desc, log_index desc limit 1`,
);
/** Selects changes in the order of the chain, after a place. */
const eventsPage = point(
  EVENT,
  `select ${EVENT.list()} from root_events where source = $1 and (block, log_index) > ($2, $3) order by block, log_index limit $4`,
);
const deleteEventsAbove = write('delete from root_events where source = $1 and block > $2');
/** Removes changes before a time, all of blocks below the latest one's. */
const sweepEvents = returning(
  NO_COLUMNS,
  'delete from root_events where source = $1 and (block, log_index) in (select e.block, e.log_index from root_events e where e.source = $1 and e.at < $2 and e.block < (select max(l.block) from root_events l where l.source = $1) order by e.block, e.log_index limit $3) returning 1',
);
/** Removes roots that were received and superseded before a time. */
const sweepRoots = returning(
  NO_COLUMNS,
  'delete from roots where environment = $1 and tree = $2 and root in (select root from roots where environment = $1 and tree = $2 and received_at < $3 and superseded_at < $3 and source = $4 order by received_at, root limit $5) returning 1',
);
const insertEvents = rowsTemplate(
  1 + EVENT.width,
  (list) => `insert into root_events (source, ${EVENT.list()}) values ${list}`,
);
/** Ends the life of every current root of a tree but one. */
const supersedeOthers = write(
  'update roots set superseded_at = $1 where environment = $2 and tree = $3 and root <> $4 and superseded_at is null',
);
/** A root keeps a verifying key of its own. */
const putLives = rowsTemplate(
  6,
  (list) =>
    `insert into roots (environment, tree, source, root, received_at, superseded_at) values ${list} on conflict (environment, tree, root) do update set received_at = excluded.received_at, superseded_at = excluded.superseded_at, source = excluded.source`,
);
const withdrawRoots = keysTemplate(
  3,
  (list) => `delete from roots where environment = $1 and tree = $2 and source = $3 and root in (${list})`,
);

/**
 * State of the sources of roots (spec/roots.md#rounds). Any number of nodes may run rounds of one source: a change is
 * made only on the version that it was derived from.
 */
export type RootSourceStore = ReturnType<typeof createRootSourceStore>;

/** Creates the store of root sources over a driver. */
export function createRootSourceStore(driver: Driver, audit: AuditWriter) {
  const find = async (id: string): Promise<RootSourceRow | undefined> =>
    (await driver.read(sourceById(id)))[0];
  return {
    find: (id: string): Promise<RootSourceRow | undefined> => find(id),
    /** Lists all sources by id, also those that are no longer configured. */
    list: (): Promise<RootSourceRow[]> => driver.scan(allSources()),
    /** Adds the state of a source without one. State for other contracts is removed first, with its roots. */
    async open(
      source: Pick<RootSourceRow, 'id' | 'environment' | 'tree' | 'configHash'>,
    ): Promise<RootSourceRow> {
      const { id, environment, tree, configHash } = source;
      const known = await find(id);
      if (known?.configHash === configHash) return known;
      const args = [id, environment, tree, configHash] as const;
      if (known === undefined) await writeAll(driver, [insertSource(...args)]);
      else {
        await auditAll(audit, [clearSource(...args), ...withdrawAll(id)], {
          action: 'root_source.replaced',
          target: id,
          before: { config_hash: known.configHash },
          after: { config_hash: configHash },
        });
      }
      const opened = await find(id);
      if (opened === undefined) throw new TypeError('expected the state of a source, got none');
      return opened;
    },
    /** Returns the latest change. */
    async lastEvent(id: string): Promise<RootEventRow | undefined> {
      return (await driver.read(lastEvent(id)))[0];
    },
    /** Lists all changes in the order of the chain. */
    async events(id: string): Promise<RootEventRow[]> {
      const events: RootEventRow[] = [];
      for (;;) {
        const { block, logIndex } = events.at(-1) ?? { block: -1, logIndex: -1 };
        const page = await driver.read(eventsPage(id, block, logIndex, PAGE_ROWS));
        events.push(...page);
        if (page.length < PAGE_ROWS) return events;
      }
    },
    /** Commits a change; false, with nothing written, if another node has changed the source. */
    commit: (change: SourceChange): Promise<boolean> => allOrNothing(driver, statementsOf(change)),
    /** Records the failure of a round. */
    async fail(id: string, error: string, providers: string, now: number): Promise<void> {
      await writeAll(driver, [failSource(id, error, now, providers)]);
    },
    /**
     * Withdraws the roots and changes of a source, so that its scan starts anew.
     *
     * @returns False if there is no such source.
     */
    async reset(id: string): Promise<boolean> {
      const known = await find(id);
      if (known === undefined) return false;
      const { environment, tree, configHash } = known;
      const statements = [clearSource(id, environment, tree, configHash), ...withdrawAll(id)];
      await auditAll(audit, statements, { action: 'root_source.reset', target: id });
      return true;
    },
    /**
     * Removes changes before a time (milliseconds since the epoch), but never the latest one; and, if a tree of World ID
     * 4.0 is named, rows of its roots that were superseded before that time.
     */
    async sweep(source: Pick<RootSourceRow, 'id' | 'environment' | 'tree'>, time: number): Promise<void> {
      const { id, environment, tree } = source;
      await removeInBatches((limit) => countRemoved(driver, sweepEvents(id, time, limit)), SWEEP_ROWS);
      if (tree !== 'account') return;
      await removeInBatches(
        (limit) => countRemoved(driver, sweepRoots(environment, tree, time, id, limit)),
        SWEEP_ROWS,
      );
    },
  };
}

function withdrawAll(id: string): Statement[] {
  return [deleteSourceEvents(id), deleteSourceRoots(id)];
}

/** The guard comes first: every writer of a source waits there for the others. */
function statementsOf(change: SourceChange): Statement[] {
  const { source, progress, now, providers, dropEventsAbove, events, lives, withdrawn } = change;
  const { id, version, environment, tree } = source;
  const statements = [advanceSource(id, version, ...PROGRESS.values(progress), now, providers)];
  if (dropEventsAbove !== undefined) statements.push(deleteEventsAbove(id, dropEventsAbove));
  statements.push(...insertEvents(events.map((event) => [id, ...EVENT.values(event)])));
  statements.push(...withdrawRoots([environment, tree, id], withdrawn));
  const current = lives.find(({ supersededAt }) => supersededAt === null);
  if (current !== undefined) {
    // Roots of the source get their own times right after; this is the end of roots that others made current.
    statements.push(supersedeOthers(progress.targetTime ?? now, environment, tree, current.root));
  }
  statements.push(
    ...putLives(
      lives.map(({ root, receivedAt, supersededAt }) => [
        environment,
        tree,
        id,
        root,
        receivedAt,
        supersededAt,
      ]),
    ),
    ...change.issuers.map(putIssuerKey4),
    ...change.oprfKeys.map(putOprfKey4),
  );
  return statements;
}

function rootsOf(stored: Uint8Array | null): readonly Bytes32[] {
  const count = (stored?.length ?? 0) / ROOT_BYTES;
  return Array.from({ length: count }, (_, index) =>
    new Uint8Array(stored ?? []).slice(index * ROOT_BYTES, (index + 1) * ROOT_BYTES),
  );
}
