import { createHash } from 'node:crypto';
import { type AuditHead, type AuditRow, type AuditStore, EMPTY_HEAD } from './audit-log.ts';

/** Result of a check of the log: its head, or the first fault. */
export type ChainCheck =
  | { readonly isSound: true; readonly head: AuditHead }
  | { readonly isSound: false; readonly seq: number; readonly fault: string };

const PAGE_ROWS = 1000;
const NOT_THE_HEAD = 'the row is not the recorded head';

/**
 * Returns the hash of a row: SHA-256, in hex, of the UTF-8 JSON array
 * `[former hash, seq, at, actor, action, target, request id, before, after]`, in which `before` and `after` are the
 * stored texts.
 */
export function hashOf(formerHash: string, row: Omit<AuditRow, 'hash'>): string {
  const { seq, at, actor, action, target, requestId, before, after } = row;
  const text = JSON.stringify([formerHash, seq, at, actor, action, target, requestId, before, after]);
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Checks the whole log: no row is missing, each hash is that of its row and of the row before, and the last row is the
 * recorded head. Rows added during the check are checked, too.
 *
 * @param known - A row noted elsewhere, which the log must still contain: shows that the end of the log was not
 *   truncated and rewritten.
 */
export async function checkChain(
  audit: Pick<AuditStore, 'head' | 'listAfter'>,
  known?: AuditHead,
): Promise<ChainCheck> {
  const before = await audit.head();
  const noted = [{ ...before, fault: NOT_THE_HEAD }];
  if (known !== undefined) noted.push({ ...known, fault: 'the row is not the one noted' });
  let last = EMPTY_HEAD;
  for (;;) {
    const rows = await audit.listAfter(last.seq, PAGE_ROWS);
    for (const row of rows) {
      const fault = faultOf(row, last, noted);
      if (fault !== undefined) return { isSound: false, ...fault };
      last = row;
    }
    if (rows.length < PAGE_ROWS) break;
  }
  const missing = Math.max(before.seq, known?.seq ?? 0);
  if (last.seq < missing) return { isSound: false, seq: last.seq + 1, fault: 'the row is missing' };
  // Each row is written with its head, so the head is at least the last row that was read; it is later if rows were added.
  const after = await audit.head();
  if (after.seq < last.seq || (after.seq === last.seq && after.hash !== last.hash)) {
    return { isSound: false, seq: last.seq, fault: NOT_THE_HEAD };
  }
  return { isSound: true, head: { seq: last.seq, hash: last.hash } };
}

function faultOf(
  row: AuditRow,
  former: AuditHead,
  noted: readonly (AuditHead & { readonly fault: string })[],
): { readonly seq: number; readonly fault: string } | undefined {
  const seq = former.seq + 1;
  if (row.seq !== seq) return { seq, fault: 'the row is missing' };
  if (row.hash !== hashOf(former.hash, row))
    return { seq, fault: 'the row or the one before it was changed' };
  const other = noted.find((head) => head.seq === seq && head.hash !== row.hash);
  return other && { seq, fault: other.fault };
}
