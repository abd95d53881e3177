import type { Statement } from '../drivers/driver.ts';
import type { IntegrityUse } from '../model/store-worldid4.ts';

/**
 * Adds a use of a device attestation. A guard that returns no row if the attestation was used for other responses; the
 * row of an equal use is unchanged.
 */
export function claimIntegrityUse({ hash, bound, expiresAt }: IntegrityUse): Statement {
  return {
    sql: 'insert into integrity_uses as u (use_hash, bound, expires_at) values ($1,$2,$3) on conflict (use_hash) do update set expires_at = u.expires_at where u.bound = excluded.bound returning 1',
    params: [hash, bound, expiresAt],
    isGuard: true,
  };
}
