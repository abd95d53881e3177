import type { Driver } from '../drivers/driver.ts';
import type { BackupStore } from '../model/store.ts';
import { lastBackup, recordBackup, toBackupRow } from '../statements/backups.ts';

/** Creates the store of the last backup over a driver. */
export function createBackupStore(driver: Driver): BackupStore {
  return {
    record: async (backup) => {
      await driver.write([recordBackup(backup)]);
    },
    last: async () => (await driver.read(lastBackup())).map(toBackupRow)[0],
  };
}
