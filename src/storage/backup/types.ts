/** Number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** How far a copy is. */
export interface CopyProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Who is told of a copy and can end it. */
export interface CopyWatch {
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called when all is copied and the check of the copy begins. */
  readonly onCheck?: () => void;
  readonly signal?: AbortSignal;
}

/** A database that was looked through from the first page to the last. */
export interface ExaminedDatabase {
  readonly rows: RowCounts;
  /** Names of the migrations that it has, the oldest first. */
  readonly migrations: readonly string[];
  /** Names of those that this program would still apply. */
  readonly pending: readonly string[];
}
