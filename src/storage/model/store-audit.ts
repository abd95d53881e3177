import type { PlannedAnswer } from './store-admin.ts';

/** A change to record. */
export interface AuditedChange {
  /** What was done, for example `app.updated` (src/docs/spec/operations.md#audit-log). */
  readonly action: string;
  /** The object that changed, for example an app_id. */
  readonly target: string;
  /** Its changed members before the change; absent for a new object. Never a secret. */
  readonly before?: unknown;
  /** Its changed members after the change; absent for a removed object. */
  readonly after?: unknown;
}

/** Author of changes. */
export interface ChangeAuthor {
  /** `api:<token id>`, `cli:<user>`, `config` or `system`. */
  readonly actor: string;
  /** Request of the admin API that made the change. */
  readonly requestId?: string;
  /** Answer to store in the transaction of the next change; with it, a store makes one change only. */
  readonly planned?: PlannedAnswer;
}

/** Last row of the audit log. */
export interface AuditHead {
  /** 0 for an empty log. */
  readonly seq: number;
  /** 64 lower-case hex digits, zeros for an empty log. */
  readonly hash: string;
}

/** A row of the audit log (src/docs/spec/operations.md#audit-log). */
export interface AuditRow extends AuditHead {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly requestId: string | null;
  /** JSON text. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Selects rows of the audit log; an absent member selects all. */
export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
}

/** The audit log: append-only, each row with the hash of the one before it. */
export interface AuditStore {
  head(): Promise<AuditHead>;
  /**
   * Lists one page of rows, the latest first.
   *
   * @param before - Only rows with a smaller `seq`.
   */
  list(filter: AuditFilter, limit: number, before?: number): Promise<AuditRow[]>;
  /** Lists one page of rows after a `seq`, the oldest first. */
  listAfter(seq: number, limit: number): Promise<AuditRow[]>;
  /** Records a change that is not stored elsewhere. */
  record(change: AuditedChange): Promise<void>;
}
