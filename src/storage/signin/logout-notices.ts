import { bytes, columns, integer, NO_COLUMNS, type RowOf, text } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { point, returning, write } from '../sql.ts';
import { writeAll } from '../transaction.ts';

/** Notices of a client that one failure postpones; bounds its transaction. */
const MAX_POSTPONED = 1000;

const NOTICE = columns({
  sid: text,
  clientId: text,
  sub: bytes,
  /** Attempts that have begun. */
  attempts: integer,
});
/** A notice to a client that a session has ended. Times are milliseconds since the epoch. */
export type LogoutNotice = RowOf<typeof NOTICE>;

const IS_DUE = 'next_at <= $1 and expires_at > $1';
/** Clients that have notices, one look-up of an index each, however many notices there are. */
const CLIENTS = `with recursive clients(id) as (select min(client_id) from logout_notices union all select (select min(client_id) from logout_notices where client_id > clients.id) from clients where clients.id is not null)`;
const IS_FREE =
  'not exists (select 1 from logout_notices where client_id = clients.id and lease_ends_at > $1)';
const FIRST_DUE = `select sid from logout_notices where client_id = clients.id and ${IS_DUE} order by next_at limit 1`;
const FIRSTS = `${CLIENTS} select (${FIRST_DUE}) from clients where id is not null and ${IS_FREE}`;

const dueNotice = point(NO_COLUMNS, `select 1 from logout_notices where ${IS_DUE} limit 1`);
/** Skips notices that another node is taking. */
const takeDue = returning(
  NOTICE,
  `update logout_notices set attempts = attempts + 1, next_at = $2, lease_ends_at = $2 where sid in (select sid from logout_notices where sid in (${FIRSTS}) order by next_at, sid limit $3) and ${IS_DUE} returning ${NOTICE.list()}`,
);
const deleteNotice = write('delete from logout_notices where sid = $1');
/** Changes nothing if another attempt has begun. */
const failAttempt = write(
  'update logout_notices set next_at = $3, lease_ends_at = 0 where sid = $1 and attempts = $2',
);
/** Makes the notices of a client that are due before a time wait until then. */
const postponeNotices = write(
  `update logout_notices set next_at = $2 where sid in (select sid from logout_notices where client_id = $1 and next_at < $2 order by next_at limit ${MAX_POSTPONED})`,
);

/** Notices that clients have not received. The end of a session writes them; every write is durable when it resolves. */
export type LogoutNoticeStore = ReturnType<typeof createLogoutNoticeStore>;

/** Creates the store of logout notices over a driver. */
export function createLogoutNoticeStore(driver: Driver) {
  return {
    /**
     * Begins an attempt for notices that are due: at most one for each client, and none for a client with an attempt under
     * way, over all nodes. After `leaseEnd` a notice is due again, so that it outlives the node that was sending it.
     */
    async take(now: number, leaseEnd: number, limit: number): Promise<LogoutNotice[]> {
      // Mostly there is none: a read costs less than a commit.
      if ((await driver.read(dueNotice(now))).length === 0) return [];
      const [notices] = await writeAll(driver, [takeDue(now, leaseEnd, limit)]);
      return notices;
    },
    /** Erases a notice: it was received, or no attempt follows. */
    async remove(sid: string): Promise<void> {
      await writeAll(driver, [deleteNotice(sid)]);
    },
    /**
     * Ends an attempt that failed, unless another one has begun since. Other notices of the client wait, too, so that a
     * receiver that is down takes no more than one attempt at a time.
     */
    async failed({ sid, clientId, attempts }: LogoutNotice, nextAt: number): Promise<void> {
      await writeAll(driver, [failAttempt(sid, attempts, nextAt), postponeNotices(clientId, nextAt)]);
    },
  };
}
