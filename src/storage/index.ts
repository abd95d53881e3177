/**
 * All durable state, behind asynchronous interfaces (`model/store.ts`). SQL text, drivers and migrations stay
 * inside this folder; the statements are written so that PostgreSQL accepts them unchanged. Rules:
 * spec/operations.md#storage and spec/operations.md#serve-lock; what a database engine must provide is the interface
 * `Driver` (`drivers/driver.ts`): durable transactions with guards, unknown outcomes told apart from failures, numbers
 * below 2^53, bytes as Uint8Array, and `on conflict do nothing` that waits for a concurrent row; the suite
 * `test/storage/support/suites` decides; `stores/` and `nullifiers/` also
 * spec/verification.md#nullifiers, spec/sign-in.md#stored-data and spec/refresh.md#stored-records.
 */

export { DEFAULT_CLIENT, namesResponseTypes } from '../config/apps/client-of.ts';
export { RESPONSE_TYPES, type ResponseType } from '../config/apps/fields.ts';
export { OPEN_POLICY, type VerificationPolicy } from '../config/apps/policy.ts';
export type * from './admin-answers.ts';
export type * from './admin-tokens.ts';
export type * from './apps/apps.ts';
export type { ClientSecretRow, SecretCount, SecretRehash } from './apps/client-secrets.ts';
export { type ChainCheck, checkChain } from './audit/audit-chain.ts';
export type * from './audit/audit-log.ts';
export { shortDigest } from './audit/audit-writer.ts';
export { type BackupOptions, type BackupReport, backUpStore } from './backup/back-up.ts';
export { type Replacement, type RestoreOptions, type RestoreReport, restoreStore } from './backup/restore.ts';
export type { CopyProgress, CopyWatch, RowCounts } from './backup/types.ts';
export type * from './backups.ts';
export type * from './bridge/bridge.ts';
export type { BridgeLimits, BridgeRefusal, BridgeSender } from './bridge/charges.ts';
export type { BridgeStatus } from './bridge/messages.ts';
export { type CopiedTable, copyStore, reopenStore, type StoreCopyReport } from './copy/copy-store.ts';
export type * from './development.ts';
export type { Durability, StoreHealth, StoreSize } from './drivers/driver.ts';
export { acquireServeLock, type ServeLock, type ServeLockOptions } from './files/serve-lock.ts';
export { isSharedStore, parseStoreUrl, type StoreAddress } from './files/store-url.ts';
export type * from './integrity-uses.ts';
export type * from './leases.ts';
export { describePlan, type PlanJson, planToJson } from './migrations/describe-plan.ts';
export { type Migration, readMigrations } from './migrations/migration-files.ts';
export { planMigrations } from './migrations/plan.ts';
export type * from './model/store.ts';
export type * from './model/store-migrations.ts';
export type * from './model/store-refresh.ts';
export type * from './nodes.ts';
export { LIVE_NODE_MS } from './nodes.ts';
export type { NullifierEntry, NullifierRecord, NullifierStore } from './nullifiers/nullifier-rows.ts';
export { type OpenStoreOptions, openStore } from './open-store.ts';
export type * from './outbox.ts';
export { EVENT_STATES } from './outbox.ts';
export type * from './root-sources.ts';
export type * from './roots.ts';
export type * from './signin/grants.ts';
export type * from './signin/logout-notices.ts';
export type { PendingBound, PendingBounds } from './signin/pending.ts';
export type { SpentProof } from './signin/proofs.ts';
export type * from './signin/pushed-requests.ts';
export type * from './signin/refresh-families.ts';
export type * from './signin/sessions.ts';
export type * from './signin/signing-keys.ts';
export type * from './signin/transactions.ts';
export { CHOICES } from './signin/transactions.ts';
export type * from './usage.ts';
export { USAGE_KINDS } from './usage.ts';
export type * from './values.ts';
export type * from './verifying-keys.ts';
export type * from './worldid4-keys.ts';
