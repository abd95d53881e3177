import type { SqlRow, SqlValue, Statement } from '../drivers/driver.ts';
import type {
  RootEventRow,
  RootLife,
  RootSourceRow,
  SourceChange,
  SourceProgress,
} from '../model/store-roots.ts';
import { keysTemplate, rowsTemplate } from '../sql.ts';
import type { Bytes32, Environment, Tree } from '../values.ts';
import { ENVIRONMENTS, TREES } from '../values.ts';
import {
  bytesColumn,
  integerColumn,
  optionalBytesColumn,
  optionalIntegerColumn,
  optionalTextColumn,
  textColumn,
  wordColumn,
} from './columns.ts';

const ROOT_BYTES = 32;
const COLUMNS =
  'id, version, environment, tree, config_hash, scan_from, block, block_hash, target_time, backfill_to, provisional, logs_at, keys_at, last_ok_at, last_error, last_error_at, providers';

/** Selects the state of a source. */
export function rootSource(id: string): Statement {
  return { sql: `select ${COLUMNS} from root_sources where id = $1`, params: [id] };
}

/** Selects the states of all sources. */
export function rootSources(): Statement {
  return { sql: `select ${COLUMNS} from root_sources order by id`, params: [] };
}

/** Adds the state of a source of which nothing is known yet, unless there is one. */
export function insertRootSource(
  id: string,
  environment: Environment,
  tree: Tree,
  configHash: string,
): Statement {
  return {
    sql: 'insert into root_sources (id, version, environment, tree, config_hash, logs_at, keys_at) values ($1,1,$2,$3,$4,0,0) on conflict (id) do nothing',
    params: [id, environment, tree, configHash],
  };
}

/** Makes a source forget what it has read, in favor of the given contracts; returns a row if there is such a source. */
export function clearRootSource(
  id: string,
  environment: Environment,
  tree: Tree,
  configHash: string,
): Statement {
  return {
    sql: 'update root_sources set version = version + 1, environment = $2, tree = $3, config_hash = $4, scan_from = null, block = null, block_hash = null, target_time = null, backfill_to = null, provisional = null, logs_at = 0, keys_at = 0, last_ok_at = null where id = $1 returning 1',
    params: [id, environment, tree, configHash],
  };
}

/** Writes the progress of a source; a guard that fails if its version is another by now. */
export function advanceRootSource(
  { id, version }: SourceChange['source'],
  progress: SourceProgress,
  now: number,
  providers: string,
): Statement {
  const { scanFrom, checkpoint, targetTime, backfillTo, provisional, logsAt, keysAt } = progress;
  return {
    sql: 'update root_sources set version = version + 1, scan_from = $3, block = $4, block_hash = $5, target_time = $6, backfill_to = $7, provisional = $8, logs_at = $9, keys_at = $10, last_ok_at = $11, providers = $12 where id = $1 and version = $2 returning 1',
    params: [
      ...[id, version, scanFrom, checkpoint?.block ?? null, checkpoint?.blockHash ?? null],
      ...[targetTime, backfillTo, provisional.length === 0 ? null : Buffer.concat(provisional)],
      ...[logsAt, keysAt, now, providers],
    ],
    isGuard: true,
  };
}

/** Records a failure of a source. */
export function failRootSource(id: string, error: string, providers: string, now: number): Statement {
  return {
    sql: 'update root_sources set last_error = $2, last_error_at = $3, providers = $4 where id = $1',
    params: [id, error, now, providers],
  };
}

/** Removes the rows of all roots of a source. */
export function deleteSourceRoots(id: string): Statement {
  return { sql: 'delete from roots where source = $1', params: [id] };
}

/** Removes all changes of a source. */
export function deleteSourceEvents(id: string): Statement {
  return { sql: 'delete from root_events where source = $1', params: [id] };
}

const EVENT_COLUMNS = 'block, log_index, block_hash, root, at';

/** Selects the latest change of a source. */
export function lastRootEvent(id: string): Statement {
  return {
    sql: `select ${EVENT_COLUMNS} from root_events where source = $1 order by block desc, log_index desc limit 1`,
    params: [id],
  };
}

/** Selects one page of the changes of a source in the order of the chain, after a change or from the beginning. */
export function rootEventsPage(id: string, after: RootEventRow | undefined, limit: number): Statement {
  return {
    sql: `select ${EVENT_COLUMNS} from root_events where source = $1 and (block, log_index) > ($2, $3) order by block, log_index limit $4`,
    params: [id, after?.block ?? -1, after?.logIndex ?? -1, limit],
  };
}

/** Removes the changes of a source above a block. */
export function deleteRootEventsAbove(id: string, block: number): Statement {
  return { sql: 'delete from root_events where source = $1 and block > $2', params: [id, block] };
}

/** Removes up to `limit` changes of a source before a time, all of blocks below the latest one's; returns one row for each. */
export function sweepRootEvents(id: string, time: number, limit: number): Statement {
  return {
    sql: 'delete from root_events where source = $1 and (block, log_index) in (select e.block, e.log_index from root_events e where e.source = $1 and e.at < $2 and e.block < (select max(l.block) from root_events l where l.source = $1) order by e.block, e.log_index limit $3) returning 1',
    params: [id, time, limit],
  };
}

/** Removes up to `limit` roots of a source that were received and superseded before a time; returns one row for each. */
export function sweepSourceRoots(
  { id, environment, tree }: Pick<RootSourceRow, 'id' | 'environment' | 'tree'>,
  time: number,
  limit: number,
): Statement {
  return {
    sql: 'delete from roots where environment = $1 and tree = $2 and root in (select root from roots where environment = $1 and tree = $2 and received_at < $3 and superseded_at < $3 and source = $4 order by received_at, root limit $5) returning 1',
    params: [environment, tree, time, id, limit],
  };
}

const insertEvents = rowsTemplate(
  6,
  (list) => `insert into root_events (source, ${EVENT_COLUMNS}) values ${list}`,
);

/** Adds changes of a source. */
export function addRootEvents(id: string, events: readonly RootEventRow[]): Statement[] {
  return insertEvents(
    events.map(({ block, logIndex, blockHash, root, at }) => [id, block, logIndex, blockHash, root, at]),
  );
}

/** Ends the life of every current root of a tree but the given one. */
export function supersedeOthers(
  environment: Environment,
  tree: Tree,
  root: Bytes32,
  supersededAt: number,
): Statement {
  return {
    sql: 'update roots set superseded_at = $1 where environment = $2 and tree = $3 and root <> $4 and superseded_at is null',
    params: [supersededAt, environment, tree, root],
  };
}

const upsertLives = rowsTemplate(
  6,
  (list) =>
    `insert into roots (environment, tree, source, root, received_at, superseded_at) values ${list} on conflict (environment, tree, root) do update set received_at = excluded.received_at, superseded_at = excluded.superseded_at, source = excluded.source`,
);

/** Writes the roots of a source; a root keeps a verifying key of its own. */
export function putLives(
  { id, environment, tree }: SourceChange['source'],
  lives: readonly RootLife[],
): Statement[] {
  return upsertLives(
    lives.map(({ root, receivedAt, supersededAt }): SqlValue[] => [
      ...[environment, tree, id],
      ...[root, receivedAt, supersededAt],
    ]),
  );
}

const deleteRoots = keysTemplate(
  3,
  (list) => `delete from roots where environment = $1 and tree = $2 and source = $3 and root in (${list})`,
);

/** Removes roots of a source. */
export function withdrawRoots(
  { id, environment, tree }: SourceChange['source'],
  roots: readonly Bytes32[],
): Statement[] {
  return deleteRoots([environment, tree, id], roots);
}

/** Takes or prolongs a lease; returns a row if it is the holder's now. */
export function takeLease(name: string, holder: string, now: number, until: number): Statement {
  return {
    sql: 'insert into leases (name, holder, until) values ($1,$2,$4) on conflict (name) do update set holder = excluded.holder, until = excluded.until where leases.holder = excluded.holder or leases.until <= $3 returning 1',
    params: [name, holder, now, until],
  };
}

/** Gives a lease up. */
export function deleteLease(name: string, holder: string): Statement {
  return { sql: 'delete from leases where name = $1 and holder = $2', params: [name, holder] };
}

/** Selects the holder of a lease that lasts beyond a time. */
export function leaseHolder(name: string, now: number): Statement {
  return { sql: 'select holder from leases where name = $1 and until > $2', params: [name, now] };
}

/** Parses a row of `rootSource` and `rootSources`. */
export function toRootSourceRow(row: SqlRow): RootSourceRow {
  const block = optionalIntegerColumn(row[6]);
  return {
    id: textColumn(row[0]),
    version: integerColumn(row[1]),
    environment: wordColumn(ENVIRONMENTS, row[2]),
    tree: wordColumn(TREES, row[3]),
    configHash: textColumn(row[4]),
    scanFrom: optionalIntegerColumn(row[5]),
    checkpoint: block === null ? null : { block, blockHash: bytesColumn(row[7]) },
    targetTime: optionalIntegerColumn(row[8]),
    backfillTo: optionalIntegerColumn(row[9]),
    provisional: rootsOf(optionalBytesColumn(row[10])),
    logsAt: integerColumn(row[11]),
    keysAt: integerColumn(row[12]),
    lastOkAt: optionalIntegerColumn(row[13]),
    lastError: optionalTextColumn(row[14]),
    lastErrorAt: optionalIntegerColumn(row[15]),
    providers: optionalTextColumn(row[16]),
  };
}

/** Parses a row of `lastRootEvent` and `rootEventsPage`. */
export function toRootEventRow(row: SqlRow): RootEventRow {
  return {
    block: integerColumn(row[0]),
    logIndex: integerColumn(row[1]),
    blockHash: bytesColumn(row[2]),
    root: bytesColumn(row[3]),
    at: integerColumn(row[4]),
  };
}

function rootsOf(bytes: Uint8Array | null): Bytes32[] {
  const roots: Bytes32[] = [];
  for (let at = 0; at < (bytes?.length ?? 0); at += ROOT_BYTES) {
    roots.push(new Uint8Array((bytes ?? new Uint8Array()).subarray(at, at + ROOT_BYTES)));
  }
  return roots;
}
