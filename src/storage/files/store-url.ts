import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../errors/service-error.ts';
import { type PostgresAddress, parsePostgresAddress } from '../drivers/postgres/postgres-address.ts';

const LIBSQL_SCHEME = 'libsql:';
const POSTGRES_SCHEME = /^postgres(?:ql)?:/;

/** Location of an embedded store. */
export interface LibsqlAddress {
  readonly engine: 'libsql';
  /** Absolute path of the database file. */
  readonly path: string;
}

/** Engine and location of a store. */
export type StoreAddress = LibsqlAddress | PostgresAddress;

/**
 * Parses `storage.url`: `libsql:<path>`, whose relative path is resolved against the working directory, or
 * `postgres://…`. Error messages repeat nothing but the scheme, since an address may contain a password.
 *
 * @throws ServiceError `config.invalid`
 */
export function parseStoreUrl(url: string): StoreAddress {
  if (POSTGRES_SCHEME.test(url)) {
    const address = parsePostgresAddress(url);
    if (typeof address === 'string') throw invalidUrl(address);
    return address;
  }
  const path = url.startsWith(LIBSQL_SCHEME) ? url.slice(LIBSQL_SCHEME.length) : undefined;
  if (path === undefined) {
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'no scheme';
    throw invalidUrl(`expected libsql:<path> or postgres://…, got ${scheme}`);
  }
  if (path === '' || path === ':memory:' || path.endsWith('/')) {
    throw invalidUrl('expected libsql:<path> with the path of a file');
  }
  if (path.startsWith('//'))
    throw invalidUrl('expected libsql:<path> with the path of a local file, got a host');
  return { engine: 'libsql', path: resolve(path) };
}

/** Whether two addresses of PostgreSQL differ in user and password at most. */
export function isSameDatabase(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => parsePostgresAddress(url));
  if (typeof first !== 'object' || typeof second !== 'object') return false;
  const { user, password } = first;
  return isDeepStrictEqual(first, { ...second, user, password });
}

/** Whether several nodes may serve from the store at an address at the same time. */
export function isSharedStore(url: string): boolean {
  return POSTGRES_SCHEME.test(url);
}

/**
 * Returns the path of an embedded store.
 *
 * @throws ServiceError `config.invalid`, `store.not_a_file` for a database server
 */
export function requireStoreFile(url: string): string {
  const address = parseStoreUrl(url);
  if (address.engine === 'libsql') return address.path;
  throw new ServiceError('store.not_a_file');
}

function invalidUrl(problem: string): ServiceError {
  return new ServiceError('config.invalid', `storage.url: ${problem}`, { path: 'storage.url' });
}
