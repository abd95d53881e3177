/**
 * Everything durable, behind asynchronous interfaces (`store.ts`). SQL text, drivers and migrations stay inside
 * this folder; the statements are written so that PostgreSQL takes them unchanged.
 */
export { type BackupOptions, type BackupReport, backUpStore } from './backup/back-up.ts';
export { type Replacement, type RestoreOptions, type RestoreReport, restoreStore } from './backup/restore.ts';
export type { CopyProgress, CopyWatch, RowCounts } from './backup/types.ts';
export { DEFAULT_CLIENT, RESPONSE_TYPES } from './default-client.ts';
export { type Migration, readMigrations } from './migration-files.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export { acquireServeLock, type ServeLock, type ServeLockOptions } from './serve-lock.ts';
export type * from './store.ts';
export type * from './store-refresh.ts';
export type * from './store-signin.ts';
export { parseStoreUrl, type StoreAddress } from './store-url.ts';
