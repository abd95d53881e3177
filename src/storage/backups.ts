import { bytes, columns, integer, type RowOf } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { point, write } from './sql.ts';

/** The only kind: a copy into one file. */
const KIND = 'file';

const BACKUP = columns({
  /** Milliseconds since the epoch. */
  finishedAt: integer,
  /** Size of the file. */
  bytes: integer,
  /** SHA-256 of the file. */
  sha256: bytes,
});
/** A finished backup of the store. */
export type BackupRow = RowOf<typeof BACKUP>;

const putBackup = write(
  `insert into backups as b (kind, ${BACKUP.list()}) values ($1,$2,$3,$4) on conflict (kind) do update set ${BACKUP.replaced()} where b.finished_at < excluded.finished_at`,
);
const lastBackup = point(BACKUP, `select ${BACKUP.list()} from backups where kind = $1`);

/** The last backup that `proofgate backup` has made of the store. */
export type BackupStore = ReturnType<typeof createBackupStore>;

/** Creates the store of the last backup over a driver. */
export function createBackupStore(driver: Driver) {
  return {
    /** Records a backup, unless a newer one is recorded. */
    async record(backup: BackupRow): Promise<void> {
      await driver.write([putBackup(KIND, ...BACKUP.values(backup))]);
    },
    last: async (): Promise<BackupRow | undefined> => (await driver.read(lastBackup(KIND)))[0],
  };
}
