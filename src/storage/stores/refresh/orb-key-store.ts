import { ServiceError } from '../../../errors/service-error.ts';
import type { AuditWriter } from '../../audit/audit-log.ts';
import { hexText } from '../../audit/audit-writer.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { OrbKeyRow, OrbKeyStore } from '../../model/store-refresh.ts';
import {
  insertOrbKeys,
  lockOrbKeys,
  orbKeysOf,
  revokeOrbKey,
  toOrbKeyRow,
  withinActiveKeys,
} from '../../statements/refresh/orb-keys.ts';

/** Creates the store of orb keys over a driver. */
export function createOrbKeyStore(driver: Driver, audit: AuditWriter): OrbKeyStore {
  const list = async (orbId: string): Promise<OrbKeyRow[]> =>
    (await driver.read(orbKeysOf(orbId))).map(toOrbKeyRow);
  return {
    list,
    add: async (rows, maxActive, isDryRun) => {
      const [first] = rows;
      if (first === undefined) return 0;
      const { orbId } = first;
      if (rows.some((row) => row.orbId !== orbId)) {
        throw new ServiceError('store.invalid_value', 'add takes keys of one orb');
      }
      const expected = wouldAdd(await list(orbId), rows, maxActive);
      if (isDryRun || expected === 0) return expected;
      const inserts = insertOrbKeys(rows);
      const outcome = await audit.write([lockOrbKeys(), ...inserts, withinActiveKeys(orbId, maxActive)], {
        action: 'orb_keys.added',
        target: orbId,
        after: { key_hashes: rows.map(({ keyHash }) => hexText(keyHash)) },
      });
      if (!outcome.ok) return 'too_many';
      return outcome.results.slice(1, 1 + inserts.length).flat().length;
    },
    revoke: async (orbId, keyHash) => {
      const change = { action: 'orb_key.revoked', target: orbId, after: { key_hash: hexText(keyHash) } };
      return (await audit.write([revokeOrbKey(orbId, keyHash)], change)).ok;
    },
  };
}

function wouldAdd(
  stored: readonly OrbKeyRow[],
  rows: readonly OrbKeyRow[],
  maxActive: number,
): number | 'too_many' {
  const keys = new Map(stored.map((row) => [nameOf(row), row]));
  for (const row of rows) if (!keys.has(nameOf(row))) keys.set(nameOf(row), row);
  const active = [...keys.values()].filter(({ status }) => status === 'active').length;
  return active > maxActive ? 'too_many' : keys.size - stored.length;
}

function nameOf({ keyHash }: OrbKeyRow): string {
  return Buffer.from(keyHash).toString('hex');
}
