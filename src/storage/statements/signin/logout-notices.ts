import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { LogoutNotice } from '../../model/store-logout.ts';
import { bytesColumn, integerColumn, textColumn } from '../columns.ts';

/** Notices of a client that one failure postpones; bounds its transaction. */
const MAX_POSTPONED = 1000;
const COLUMNS = 'sid, client_id, sub, attempts';
const IS_DUE = 'next_at <= $1 and expires_at > $1';
/** Clients that have notices, one look-up of an index each, however many notices there are. */
const CLIENTS = `with recursive clients(id) as (select min(client_id) from logout_notices union all select (select min(client_id) from logout_notices where client_id > clients.id) from clients where clients.id is not null)`;
const IS_FREE =
  'not exists (select 1 from logout_notices where client_id = clients.id and lease_ends_at > $1)';
const FIRST_DUE = `select sid from logout_notices where client_id = clients.id and ${IS_DUE} order by next_at limit 1`;

/** Selects whether a notice is due. */
export function isNoticeDue(now: number): Statement {
  return { sql: `select 1 from logout_notices where ${IS_DUE} limit 1`, params: [now] };
}

/** Begins attempts, at most one for a client; a notice that another node takes meanwhile is left out. */
export function takeNotices(now: number, leaseEnd: number, limit: number): Statement {
  const firsts = `${CLIENTS} select (${FIRST_DUE}) from clients where id is not null and ${IS_FREE}`;
  return {
    sql: `update logout_notices set attempts = attempts + 1, next_at = $2, lease_ends_at = $2 where sid in (select sid from logout_notices where sid in (${firsts}) order by next_at, sid limit $3) and ${IS_DUE} returning ${COLUMNS}`,
    params: [now, leaseEnd, limit],
  };
}

/** Removes a notice. */
export function deleteNotice(sid: string): Statement {
  return { sql: 'delete from logout_notices where sid = $1', params: [sid] };
}

/** Ends an attempt that failed, unless another one has begun. */
export function failNotice({ sid, attempts }: LogoutNotice, nextAt: number): Statement {
  return {
    sql: 'update logout_notices set next_at = $3, lease_ends_at = 0 where sid = $1 and attempts = $2',
    params: [sid, attempts, nextAt],
  };
}

/** Makes the notices of a client that are due before a time wait until then. */
export function postponeNotices(clientId: string, nextAt: number): Statement {
  return {
    sql: `update logout_notices set next_at = $2 where sid in (select sid from logout_notices where client_id = $1 and next_at < $2 order by next_at limit ${MAX_POSTPONED})`,
    params: [clientId, nextAt],
  };
}

/** Parses a row of `takeNotices`. */
export function toLogoutNotice(row: SqlRow): LogoutNotice {
  return {
    sid: textColumn(row[0]),
    clientId: textColumn(row[1]),
    sub: bytesColumn(row[2]),
    attempts: integerColumn(row[3]),
  };
}
