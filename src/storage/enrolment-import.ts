import type { EnrolmentOutcome, EnrolmentRow } from './store-refresh.ts';

/** One write of an import: a new enrolment, or one that takes the place of `from`. */
export interface EnrolmentChange {
  readonly from: EnrolmentRow | undefined;
  readonly to: EnrolmentRow;
}

/** What an import comes to: an outcome for each row, and the writes in their order. */
export interface ImportDecision {
  readonly outcomes: EnrolmentOutcome[];
  readonly changes: EnrolmentChange[];
}

/**
 * Decides the rows of an import in their order, each on what those before it leave.
 *
 * @param known - The stored enrolments of the rows' identities, and the active ones with the rows' signup ids.
 */
export function decideImport(
  rows: readonly EnrolmentRow[],
  known: readonly EnrolmentRow[],
  replaces: boolean,
): ImportDecision {
  const byIdentity = new Map<string, EnrolmentRow>();
  const holders = new Map<string, string>();
  const put = (row: EnrolmentRow): void => {
    const identity = identityOf(row);
    const before = byIdentity.get(identity);
    if (before !== undefined && holders.get(before.signupId) === identity) holders.delete(before.signupId);
    byIdentity.set(identity, row);
    if (row.status === 'active') holders.set(row.signupId, identity);
  };
  for (const row of known) put(row);

  const changes: EnrolmentChange[] = [];
  const outcomes = rows.map((row): EnrolmentOutcome => {
    const from = byIdentity.get(identityOf(row));
    if (from !== undefined) {
      const isSame = from.signupId === row.signupId && from.orbId === row.orbId;
      if (isSame && from.status === row.status && from.enrolledAt === row.enrolledAt) return 'unchanged';
      if (!isSame && !replaces) return 'conflict';
    }
    const holder = holders.get(row.signupId);
    if (row.status === 'active' && holder !== undefined && holder !== identityOf(row)) return 'signup_taken';
    put(row);
    changes.push({ from, to: row });
    return from === undefined ? 'added' : 'updated';
  });
  return { outcomes, changes };
}

function identityOf({ idComm }: EnrolmentRow): string {
  return Buffer.from(idComm.buffer, idComm.byteOffset, idComm.byteLength).toString('hex');
}
