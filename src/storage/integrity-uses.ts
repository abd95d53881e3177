import { bytes, columns, integer, named, type RowOf } from './columns.ts';
import type { Driver } from './drivers/driver.ts';
import { guard } from './sql.ts';
import { allOrNothing } from './transaction.ts';

const USE = columns({
  /** SHA-256 over relying party, device key and signed digest. */
  hash: named('use_hash', bytes),
  /** SHA-256 over the responses that the attestation is used for. */
  bound: bytes,
  /** Milliseconds since the epoch; the attestation itself must be invalid by then. */
  expiresAt: integer,
});
/** Use of a device attestation for the responses of one request. */
export type IntegrityUse = RowOf<typeof USE>;

/** Fails if the attestation was used for other responses; the row of an equal use is unchanged. */
const claimUse = guard(
  `insert into integrity_uses as u (${USE.list()}) values (${USE.slots()}) on conflict (use_hash) do update set expires_at = u.expires_at where u.bound = excluded.bound returning 1`,
);

/** Uses of device attestations (spec/worldid4.md#integrity-bundle). */
export type IntegrityUseStore = ReturnType<typeof createIntegrityUseStore>;

/** Creates the store of the uses of device attestations over a driver. */
export function createIntegrityUseStore(driver: Driver) {
  return {
    /** Records a use durably; false if the attestation was used for other responses. */
    claim: (use: IntegrityUse): Promise<boolean> => allOrNothing(driver, [claimUse(...USE.values(use))]),
  };
}
