import type { SqlRow, Statement } from '../drivers/driver.ts';
import type { BackupRow } from '../model/store.ts';
import { bytesColumn, integerColumn } from './columns.ts';

/** The only kind: a copy into one file. */
const KIND = 'file';

/** Records a finished backup; one that was finished later stays. */
export function recordBackup({ finishedAt, bytes, sha256 }: BackupRow): Statement {
  return {
    sql: 'insert into backups as b (kind, finished_at, bytes, sha256) values ($1,$2,$3,$4) on conflict (kind) do update set finished_at = excluded.finished_at, bytes = excluded.bytes, sha256 = excluded.sha256 where b.finished_at < excluded.finished_at',
    params: [KIND, finishedAt, bytes, sha256],
  };
}

/** Selects the last backup. */
export function lastBackup(): Statement {
  return { sql: 'select finished_at, bytes, sha256 from backups where kind = $1', params: [KIND] };
}

/** Reads a row of `lastBackup`. */
export function toBackupRow([finishedAt, bytes, sha256]: SqlRow): BackupRow {
  return {
    finishedAt: integerColumn(finishedAt),
    bytes: integerColumn(bytes),
    sha256: bytesColumn(sha256),
  };
}
