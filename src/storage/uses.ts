import { bytes, columns, integer, named, type RowOf } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { OutcomeUnknownError } from './drivers/outcome-unknown.ts';
import { eachOf, guard } from './sql.ts';
import { allOrNothing } from './transaction.ts';

const USE = columns({
  /** SHA-256 of what counts once. */
  hash: named('use_hash', bytes),
  /** What it is used for. */
  bound: bytes,
  /** Milliseconds since the epoch; the use is forgotten then. */
  expiresAt: integer,
});
/** Use of something that counts once. */
export type Use = RowOf<typeof USE>;

const TABLES = ['integrity_uses', 'session_proof_uses'] as const;

/** Fails if it was used for something else; the row of an equal use is unchanged. */
const claimUse = eachOf(TABLES, (table) =>
  guard(
    `insert into ${table} as u (${USE.list()}) values (${USE.slots()}) on conflict (use_hash) do update set expires_at = u.expires_at where u.bound = excluded.bound returning 1`,
  ),
);

/**
 * Uses of device attestations (spec/worldid4.md#integrity-bundle), bound to the responses of a request, and of session
 * proofs (spec/worldid4.md#sessions), bound to the request itself.
 */
export type UseStore = ReturnType<typeof createUseStore>;

/** Creates the store of the uses of one kind over a driver. */
export function createUseStore(driver: Driver, table: (typeof TABLES)[number]) {
  const claimOnce = (use: Use): Promise<boolean> =>
    allOrNothing(driver, [claimUse[table](...USE.values(use))]);
  return {
    /** Records a use durably; false if it was used for something else. */
    async claim(use: Use): Promise<boolean> {
      try {
        return await claimOnce(use);
      } catch (error) {
        if (!(error instanceof OutcomeUnknownError)) throw error;
        // It commits again, so a server answers once its standby has the row.
        return await claimOnce(use);
      }
    },
  };
}
