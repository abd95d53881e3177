import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';

/** The right to write to a database, which nobody else has while it is held. */
export interface WriteLock {
  release(): void;
}

/** Takes the write lock of a database, as a transaction of another process does; readers go on. */
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
