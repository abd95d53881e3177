import { createHash } from 'node:crypto';
import type { AuditHead, AuditRow, AuditStore } from '../model/store-audit.ts';

/** Head of an empty log. */
export const EMPTY_HEAD: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/** Result of a check of the log: its head, or the first fault. */
export type ChainCheck =
  | { readonly isSound: true; readonly head: AuditHead }
  | { readonly isSound: false; readonly seq: number; readonly fault: string };

const PAGE_ROWS = 1000;

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
 * recorded head. Rows that are added meanwhile are checked, too.
 *
 * @param known - A row that was noted elsewhere, which the log must still hold: it shows that the end of the log was not
 * cut off and written anew.
 */
export async function checkChain(
  audit: Pick<AuditStore, 'head' | 'listAfter'>,
  known?: AuditHead,
): Promise<ChainCheck> {
  const { seq: end } = await audit.head();
  let last = EMPTY_HEAD;
  for (;;) {
    const rows = await audit.listAfter(last.seq, PAGE_ROWS);
    for (const row of rows) {
      const fault = faultOf(row, last, known);
      if (fault !== undefined) return { isSound: false, ...fault };
      last = row;
    }
    if (rows.length < PAGE_ROWS) break;
  }
  const head = await audit.head();
  const missing = Math.max(end, known?.seq ?? 0);
  if (last.seq < missing) return { isSound: false, seq: last.seq + 1, fault: 'the row is missing' };
  if (last.seq === head.seq && last.hash !== head.hash) {
    return { isSound: false, seq: last.seq, fault: 'the row is not the recorded head' };
  }
  return { isSound: true, head: { seq: last.seq, hash: last.hash } };
}

function faultOf(
  row: AuditRow,
  former: AuditHead,
  known: AuditHead | undefined,
): { readonly seq: number; readonly fault: string } | undefined {
  const seq = former.seq + 1;
  if (row.seq !== seq) return { seq, fault: 'the row is missing' };
  if (row.hash !== hashOf(former.hash, row))
    return { seq, fault: 'the row or the one before it was changed' };
  if (known?.seq === seq && known.hash !== row.hash) return { seq, fault: 'the row is not the one noted' };
  return undefined;
}
