import { join, resolve } from 'node:path';
import { ServiceError } from '../errors/index.ts';
import { ensureFolder, ensurePrivateFile } from './data-folder.ts';
import { LibsqlConnection } from './drivers/libsql-connection.ts';
import { libsqlFailure, toServiceError } from './drivers/libsql-failure.ts';

/** The right to be the one server of a data folder. */
export interface ServeLock {
  release(): Promise<void>;
}

// A connection that is collected as garbage lets its lock go, so that held ones are kept here.
const held = new Set<LibsqlConnection>();

/**
 * Takes the lock of a data folder (`serve.lock` in it) for as long as the process lives. The kernel frees it when
 * the process ends, however it ends, so that a lock is never stale.
 *
 * @throws ServiceError `server.locked` when another server holds it, `store.unreachable` when it cannot be made
 */
export async function acquireServeLock(dataDir: string): Promise<ServeLock> {
  const folder = resolve(dataDir);
  const file = join(folder, 'serve.lock');
  ensureFolder(folder);
  ensurePrivateFile(file);
  const connection = lock(file, folder);
  held.add(connection);
  return {
    release: async () => {
      if (held.delete(connection)) connection.close();
    },
  };
}

function lock(file: string, folder: string): LibsqlConnection {
  let connection: LibsqlConnection | undefined;
  try {
    connection = new LibsqlConnection(file, 0);
    connection.execute('begin exclusive');
    return connection;
  } catch (error) {
    connection?.close();
    const failure = libsqlFailure(error);
    if (failure.isBusy) {
      throw new ServiceError('server.locked', `another server runs on the data folder ${folder}`);
    }
    throw toServiceError(failure);
  }
}
