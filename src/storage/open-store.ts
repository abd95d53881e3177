import type { LoginFiles } from '../config/settings/types.ts';
import type { Driver } from './drivers/driver.ts';
import { type LibsqlOptions, openLibsqlDriver } from './drivers/libsql.ts';
import type { PostgresAddress } from './drivers/postgres/postgres-address.ts';
import { parseStoreUrl } from './files/store-url.ts';
import type { GroupSettings } from './nullifiers/nullifier-store.ts';
import { type Store, type StoreOptions, storeOver } from './store.ts';

/** The part of a pino logger that the store needs. */
export interface StoreLog {
  warn(fields: object, message: string): void;
}

/** Settings of the store (spec/operations.md#storage-settings). */
export interface StoreSettings extends GroupSettings, Partial<ServerSettings> {
  /** `libsql:<path>` or `postgres://…`; the scheme selects the engine. */
  readonly url: string;
}

/** Settings of a store on PostgreSQL. */
export interface ServerSettings {
  /** Password of the user, if the address has none. */
  readonly password: string | undefined;
  /** Files with address and password; they are read again for each connection. */
  readonly loginFiles?: LoginFiles;
  /** Most connections of this process. */
  readonly poolSize: number;
  /** Whether statements are prepared by name. */
  readonly prepare: boolean;
  /** Time limit for a call of the store. */
  readonly timeoutMs: number;
}

const SERVER_DEFAULTS: ServerSettings = {
  password: undefined,
  poolSize: 10,
  prepare: true,
  timeoutMs: 4000,
};

/** Options of a store in addition to its settings. Those of the embedded engine but `readOnly` mean nothing to a server. */
export interface OpenStoreOptions extends StoreOptions, Omit<LibsqlOptions, 'path' | 'onThreadDeath'> {
  readonly log?: StoreLog;
}

/**
 * Opens the store at `settings.url`; the scheme selects the engine. Does not touch the tables: call
 * `migrate`, or check `migrationStatus`.
 *
 * @throws ServiceError `config.invalid` for an address of unknown form, `store.absent`, `store.unreachable`
 */
export async function openStore(settings: StoreSettings, options: OpenStoreOptions = {}): Promise<Store> {
  return storeOver(await openDriver(settings, options), settings, options);
}

/** Opens the engine at `settings.url`. @throws ServiceError like `openStore` */
export async function openDriver(settings: StoreSettings, options: OpenStoreOptions): Promise<Driver> {
  const address = parseStoreUrl(settings.url);
  if (address.engine === 'postgres') return openPostgres(address, settings, options);
  const { log } = options;
  return openLibsqlDriver({
    ...options,
    path: address.path,
    onThreadDeath: (reason) => log?.warn({ reason }, 'a database thread ended; the next call starts another'),
  });
}

async function openPostgres(
  address: PostgresAddress,
  settings: StoreSettings,
  { readOnly }: OpenStoreOptions,
): Promise<Driver> {
  const server = { ...SERVER_DEFAULTS, ...settings };
  // Loaded only where it is used: half of a command's start would be spent on it.
  const { openPostgresDriver } = await import('./drivers/postgres/postgres-driver.ts');
  // A password in the address takes precedence.
  const password = address.password === undefined ? server.loginFiles?.password : undefined;
  return openPostgresDriver({
    address: { ...address, password: address.password ?? server.password },
    loginFiles: { url: server.loginFiles?.url, password },
    poolSize: server.poolSize,
    prepares: server.prepare,
    timeoutMs: server.timeoutMs,
    ...(readOnly === undefined ? {} : { readOnly }),
  });
}
