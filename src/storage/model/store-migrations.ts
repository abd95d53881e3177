/** State of the schema. */
export interface MigrationStatus {
  readonly applied: readonly {
    readonly version: number;
    readonly name: string;
    readonly appliedAt: number;
  }[];
  readonly pending: readonly {
    readonly version: number;
    readonly name: string;
  }[];
}

/** Kinds of changes that a migration can make; `rebuild_table` copies all rows to a table of another shape. */
export type TableChangeKind =
  | 'create_table'
  | 'rebuild_table'
  | 'add_column'
  | 'drop_table'
  | 'create_index'
  | 'drop_index';

/**
 * What waits while a statement runs: nothing, the writes, or also the reads of the table; on an embedded database the
 * writes of the whole store.
 */
export type Blocked = 'nothing' | 'writes' | 'reads and writes';

/** One change of a table. */
export interface TableChange {
  readonly kind: TableChangeKind;
  readonly table: string;
  /** Name of the index; null for a change of the table itself. */
  readonly index: string | null;
  /** Rows of the table now, 0 if there is no such table; a large number may be estimated. */
  readonly rows: number;
  readonly blocks: Blocked;
}

/** What a pending migration will do. */
export interface PlannedMigration {
  readonly version: number;
  readonly name: string;
  /** What it is for: the first sentence of its file. */
  readonly summary: string;
  /** Lowest version that a program must know to run on the store afterwards. */
  readonly runsFrom: number;
  readonly changes: readonly TableChange[];
  /** Estimated duration. */
  readonly seconds: number;
}

/** What the pending migrations will do, in their order. */
export interface MigrationPlan {
  /** Whether the store has no tables yet. */
  readonly isNew: boolean;
  readonly migrations: readonly PlannedMigration[];
  /** Estimated duration of all. */
  readonly seconds: number;
  /** Whether the program that made the last migration can start again on the store afterwards. */
  readonly formerCanStart: boolean;
  /** Whether all servers must be stopped before: rows that they write while a table is rebuilt are lost. */
  readonly needsStop: boolean;
}
