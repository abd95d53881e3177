import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';

/** Exclusive write lock of a database. */
export interface WriteLock {
  release(): void;
}

/** Takes the write lock of a database, like a transaction of another process; readers continue. */
export function holdWriteLock(path: string): WriteLock {
  const connection = new LibsqlConnection(path, 5000);
  connection.execute('begin immediate');
  return {
    release() {
      connection.execute('rollback');
      connection.close();
    },
  };
}
