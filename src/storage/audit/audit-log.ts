import type { PlannedAnswer } from '../admin-answers.ts';
import { columns, integer, named, optional, type RowOf, text } from '../columns.ts';
import type { Driver, Statement, WriteOutcome } from '../drivers/driver.ts';
import { eachSubset, guard, point, scan, write } from '../sql.ts';

/** A change to record. */
export interface AuditedChange {
  /** Name of the action, for example `app.updated` (src/docs/spec/operations.md#audit-log). */
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

/** Writes changes together with their rows in the audit log. */
export interface AuditWriter {
  /**
   * Like `Driver.write`, and appends a row to the audit log, and an event for webhooks to the outbox, in the same
   * transaction. A guard that fails is one of `statements`.
   */
  write(statements: readonly Statement[], change: AuditedChange): Promise<WriteOutcome>;
}

const HEAD = columns({
  /** 0 for an empty log. */
  seq: integer,
  /** 64 lower-case hex digits, zeros for an empty log. */
  hash: text,
});
/** Last row of the audit log. */
export type AuditHead = RowOf<typeof HEAD>;

const ROW = columns({
  /** 1 for the first. */
  seq: integer,
  /** Milliseconds since the epoch. */
  at: integer,
  actor: text,
  action: text,
  target: text,
  requestId: optional(text),
  /** JSON text. */
  before: named('before_value', optional(text)),
  after: named('after_value', optional(text)),
  /** 64 lower-case hex digits. */
  hash: text,
});
/** A row of the audit log (src/docs/spec/operations.md#audit-log). */
export type AuditRow = RowOf<typeof ROW>;

const FILTERS = ['actor', 'action', 'target'] as const;
/** Selects rows of the audit log; an absent member selects all. */
export type AuditFilter = Partial<Pick<AuditRow, (typeof FILTERS)[number]>>;

/** Head of an empty log. */
export const EMPTY_HEAD: AuditHead = { seq: 0, hash: '0'.repeat(64) };
const HEAD_ID = 1;

const selectHead = point(HEAD, `select ${HEAD.list()} from audit_head where id = $1`);
/** Fails if another row follows the former head by now. */
const putHead = guard(
  `insert into audit_head (id, ${HEAD.list()}) values ($1,$2,$3) on conflict (id) do update set ${HEAD.replaced()} where audit_head.seq = $4 and audit_head.hash = $5 returning 1`,
);
const insertRow = write(`insert into audit_log (${ROW.list()}) values (${ROW.slots()})`);
const rowsAfter = point(ROW, `select ${ROW.list()} from audit_log where seq > $1 order by seq limit $2`);
const latestRows = eachSubset(FILTERS, (filters) => {
  const conditions = filters.map((column, index) => ` and ${column} = $${index + 3}`);
  return scan(
    ROW,
    `select ${ROW.list()} from audit_log where seq < $1${conditions.join('')} order by seq desc limit $2`,
  );
});

/** Makes a row the last one of the log: a guard that fails if another row follows `former` by now. */
export function appendRow(former: AuditHead, row: AuditRow): Statement[] {
  return [putHead(HEAD_ID, ...HEAD.values(row), ...HEAD.values(former)), insertRow(...ROW.values(row))];
}

/** Reads the last row of the log. */
export async function readHead(driver: Driver): Promise<AuditHead> {
  return (await driver.read(selectHead(HEAD_ID)))[0] ?? EMPTY_HEAD;
}

/** The audit log: append-only, each row with the hash of the one before it. */
export type AuditStore = ReturnType<typeof createAuditStore>;

/** Creates the store of the audit log over a driver. */
export function createAuditStore(driver: Driver, audit: AuditWriter) {
  return {
    head: (): Promise<AuditHead> => readHead(driver),
    /**
     * Lists one page of rows, the latest first.
     *
     * @param before - Only rows with a smaller `seq`.
     */
    list(filter: AuditFilter, limit: number, before: number = Number.MAX_SAFE_INTEGER): Promise<AuditRow[]> {
      const used = FILTERS.filter((name) => filter[name] !== undefined);
      return driver.scan(latestRows(used)(before, limit, ...used.map((name) => filter[name] ?? null)));
    },
    /** Lists one page of rows after a `seq`, the oldest first. */
    listAfter: (seq: number, limit: number): Promise<AuditRow[]> => driver.read(rowsAfter(seq, limit)),
    /** Records a change that is not stored elsewhere. */
    async record(change: AuditedChange): Promise<void> {
      await audit.write([], change);
    },
  };
}
