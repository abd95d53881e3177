import type { AuditRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Row of the audit log as the admin API, `audit list --json` and `audit export` show it. */
export interface ShownAuditRow {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly request_id: string | null;
  /** Changed members; null for a new object. */
  readonly before: unknown;
  /** Changed members; null for a removed object. */
  readonly after: unknown;
  readonly hash: string;
}

/** Returns the members of a row. */
export function auditJson(row: AuditRow): ShownAuditRow {
  const { seq, at, actor, action, target, requestId, before, after, hash } = row;
  return {
    ...{ seq, at: isoTime(at), actor, action, target, request_id: requestId },
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
    hash,
  };
}
