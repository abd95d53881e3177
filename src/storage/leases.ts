import { columns, NO_COLUMNS, text } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { point, returning, write } from './sql.ts';
import { writeAll, writeOne } from './transaction.ts';

const HOLDER = columns({ holder: text });
/** Takes or prolongs a lease; returns a row if it is the holder's now. */
const takeLease = returning(
  NO_COLUMNS,
  'insert into leases (name, holder, until) values ($1,$2,$4) on conflict (name) do update set holder = excluded.holder, until = excluded.until where leases.holder = excluded.holder or leases.until <= $3 returning 1',
);
const deleteLease = write('delete from leases where name = $1 and holder = $2');
const leaseHolder = point(HOLDER, `select ${HOLDER.list()} from leases where name = $1 and until > $2`);

/** Work that one node does for all (spec/operations.md#single-use). Times are milliseconds since the epoch. */
export type LeaseStore = ReturnType<typeof createLeaseStore>;

/** Creates the store of leases over a driver. */
export function createLeaseStore(driver: Driver) {
  return {
    /** Takes or prolongs a lease; false while another holder has it. */
    async take(name: string, holder: string, now: number, until: number): Promise<boolean> {
      return (await writeOne(driver, takeLease(name, holder, now, until))) !== undefined;
    },
    /** Gives a lease up. */
    async release(name: string, holder: string): Promise<void> {
      await writeAll(driver, [deleteLease(name, holder)]);
    },
    /** Returns the holder of a lease at a time; undefined if there is none. */
    async holder(name: string, now: number): Promise<string | undefined> {
      return (await driver.read(leaseHolder(name, now)))[0]?.holder;
    },
  };
}
