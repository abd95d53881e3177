import { resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';

const LIBSQL_SCHEME = 'libsql:';

/** Engine and location of a store. */
export interface StoreAddress {
  readonly engine: 'libsql';
  /** Absolute path of the database file. */
  readonly path: string;
}

/**
 * Parses `storage.url`: `libsql:<path>`; a relative path is resolved against the working directory. Error
 * messages name the scheme only, since an address may contain a password.
 *
 * @throws ServiceError `config.invalid`
 */
export function parseStoreUrl(url: string): StoreAddress {
  const path = url.startsWith(LIBSQL_SCHEME) ? url.slice(LIBSQL_SCHEME.length) : undefined;
  if (path === undefined) {
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'no scheme';
    throw invalidUrl(`expected libsql:<path>, got ${scheme}`);
  }
  if (path === '' || path === ':memory:' || path.endsWith('/')) {
    throw invalidUrl('expected libsql:<path> with the path of a file');
  }
  if (path.startsWith('//'))
    throw invalidUrl('expected libsql:<path> with the path of a local file, got a host');
  return { engine: 'libsql', path: resolve(path) };
}

function invalidUrl(problem: string): ServiceError {
  return new ServiceError('config.invalid', `storage.url: ${problem}`, { path: 'storage.url' });
}
