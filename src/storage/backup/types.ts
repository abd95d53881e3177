/** Number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** Progress of a copy. */
export interface CopyProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Callbacks that report a copy's progress, and a signal that ends it. */
export interface CopyWatch {
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called when everything is copied and the check of the copy begins. */
  readonly onCheck?: () => void;
  readonly signal?: AbortSignal;
}

/** Row counts and migrations of a database that was checked completely. */
export interface ExaminedDatabase {
  readonly rows: RowCounts;
  /** Names of the applied migrations, the oldest first. */
  readonly migrations: readonly string[];
  /** Names of the migrations that this program would still apply. */
  readonly pending: readonly string[];
}
