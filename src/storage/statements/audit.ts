import type { SqlRow, SqlValue, Statement } from '../drivers/driver.ts';
import type { AuditFilter, AuditHead, AuditRow } from '../model/store-audit.ts';
import { integerColumn, optionalTextColumn, textColumn } from './columns.ts';

const COLUMNS = 'seq, at, actor, action, target, request_id, before_value, after_value, hash';
const HEAD_ID = 1;

/** Selects the last row of the log. */
export function auditHead(): Statement {
  return { sql: 'select seq, hash from audit_head where id = $1', params: [HEAD_ID] };
}

/** Makes a row the last one of the log; a guard that fails if another row follows `former` by now. */
export function advanceAuditHead(former: AuditHead, next: AuditHead): Statement {
  return {
    sql: 'insert into audit_head (id, seq, hash) values ($1,$2,$3) on conflict (id) do update set seq = excluded.seq, hash = excluded.hash where audit_head.seq = $4 and audit_head.hash = $5 returning 1',
    params: [HEAD_ID, next.seq, next.hash, former.seq, former.hash],
    isGuard: true,
  };
}

/** Adds a row to the log. */
export function insertAuditRow(row: AuditRow): Statement {
  const { seq, at, actor, action, target, requestId, before, after, hash } = row;
  return {
    sql: `insert into audit_log (${COLUMNS}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9)`,
    params: [seq, at, actor, action, target, requestId, before, after, hash],
  };
}

/** Selects one page of the log, the latest row first. @param before - Only rows with a smaller `seq`. */
export function latestAuditRows(filter: AuditFilter, limit: number, before: number): Statement {
  const conditions = ['seq < $1'];
  const params: SqlValue[] = [before];
  for (const column of ['actor', 'action', 'target'] as const) {
    const value = filter[column];
    if (value === undefined) continue;
    params.push(value);
    conditions.push(`${column} = $${params.length}`);
  }
  params.push(limit);
  return {
    sql: `select ${COLUMNS} from audit_log where ${conditions.join(' and ')} order by seq desc limit $${params.length}`,
    params,
  };
}

/** Selects one page of the log after a `seq`, the oldest row first. */
export function auditRowsAfter(seq: number, limit: number): Statement {
  return {
    sql: `select ${COLUMNS} from audit_log where seq > $1 order by seq limit $2`,
    params: [seq, limit],
  };
}

/** Parses a row of `auditHead`. */
export function toAuditHead(row: SqlRow): AuditHead {
  return { seq: integerColumn(row[0]), hash: textColumn(row[1]) };
}

/** Parses a row of the log. */
export function toAuditRow(row: SqlRow): AuditRow {
  return {
    seq: integerColumn(row[0]),
    at: integerColumn(row[1]),
    actor: textColumn(row[2]),
    action: textColumn(row[3]),
    target: textColumn(row[4]),
    requestId: optionalTextColumn(row[5]),
    before: optionalTextColumn(row[6]),
    after: optionalTextColumn(row[7]),
    hash: textColumn(row[8]),
  };
}
