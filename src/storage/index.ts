/**
 * Everything durable, behind asynchronous interfaces (`store.ts`). SQL text, drivers and migrations stay inside
 * this folder; the statements are written so that PostgreSQL takes them unchanged.
 */
export { DEFAULT_CLIENT, RESPONSE_TYPES } from './default-client.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export { acquireServeLock, type ServeLock } from './serve-lock.ts';
export type * from './store.ts';
export type * from './store-refresh.ts';
export type * from './store-signin.ts';
