import type { RowCounts } from '../../storage/index.ts';

/** Tables whose loss somebody would notice, in the order of the text. */
const SHOWN = [
  ['apps', 'apps'],
  ['nullifiers', 'nullifiers'],
  ['sub_bindings', 'holders'],
  ['issued_credentials', 'credentials'],
  ['signup', 'enrolments'],
] as const;

/** Rows of the tables that matter most, as text. */
export function rowSummary(rows: RowCounts): string {
  return SHOWN.map(([table, what]) => `${what} ${rows[table] ?? 0}`).join(', ');
}
