import type { EnrolmentOutcome, EnrolmentRow } from '../../model/store-refresh.ts';
import type { Bytes32 } from '../../values.ts';

/** Outcomes and writes of an import. */
export interface ImportDecision {
  /** One for each row. */
  readonly outcomes: EnrolmentOutcome[];
  /**
   * Enrolments to write, group by group and in order, so that a signup freed by one is available to the next.
   * Each identity occurs at most once in a group.
   */
  readonly writes: EnrolmentRow[][];
}

/**
 * Decides the outcome of each row of an import, in order, as if the rows before it were written.
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
  const put = (identity: string, row: EnrolmentRow): void => {
    const before = byIdentity.get(identity);
    if (before !== undefined && holders.get(before.signupId) === identity) holders.delete(before.signupId);
    byIdentity.set(identity, row);
    if (row.status === 'active') holders.set(row.signupId, identity);
  };
  for (const row of known) put(identityOf(row.idComm), row);

  let group = new Map<string, EnrolmentRow>();
  const groups = [group];
  const outcomes = rows.map((row): EnrolmentOutcome => {
    const identity = identityOf(row.idComm);
    const before = byIdentity.get(identity);
    if (before !== undefined) {
      const isSame = before.signupId === row.signupId && before.orbId === row.orbId;
      if (isSame && before.status === row.status && before.enrolledAt === row.enrolledAt) return 'unchanged';
      if (!isSame && !replaces) return 'conflict';
    }
    if (row.status === 'active' && (holders.get(row.signupId) ?? identity) !== identity)
      return 'signup_taken';
    put(identity, row);
    if (group.has(identity)) {
      group = new Map();
      groups.push(group);
    }
    group.set(identity, row);
    return before === undefined ? 'added' : 'updated';
  });
  return { outcomes, writes: groups.map((rowsOfGroup) => [...rowsOfGroup.values()]) };
}

function identityOf(idComm: Bytes32): string {
  return Buffer.from(idComm.buffer, idComm.byteOffset, idComm.byteLength).toString('hex');
}
