import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/storage/store.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../../../src/storage/worldid4-keys.ts';
import { bytes32 } from '../rows.ts';
import { store } from '../subject.ts';

const RP = 'rp_0387df34f862cd4e';

function keyRow(
  change: Partial<Omit<IssuerKey4Row, 'issuerSchemaId'>> = {},
): Omit<IssuerKey4Row, 'issuerSchemaId'> {
  return {
    environment: 'staging',
    x: bytes32(1),
    y: bytes32(2),
    source: 'operator',
    updatedAt: 1000,
    removedAt: null,
    ...change,
  };
}

function issuer(issuerSchemaId: string, change: Partial<IssuerKey4Row> = {}): IssuerKey4Row {
  return { ...keyRow(change), issuerSchemaId };
}

function oprfKey(rpId: string, change: Partial<OprfKey4Row> = {}): OprfKey4Row {
  return { ...keyRow(change), rpId };
}

/** Tests for the keys of World ID 4.0. */
export function describeWorldId4Keys(): void {
  let keys: Store['worldId4Keys'];

  beforeEach(() => {
    keys = store.worldId4Keys;
  });

  describe('World ID 4.0 keys', () => {
    it('are found by environment and id, exactly', async () => {
      const largest = issuer('18446744073709551615');
      await keys.put([issuer('1'), largest], [oprfKey(RP)]);
      expect(await keys.findIssuer('staging', '1')).toEqual(issuer('1'));
      expect(await keys.findIssuer('staging', largest.issuerSchemaId)).toEqual(largest);
      expect(await keys.findIssuer('production', '1')).toBeUndefined();
      expect(await keys.findIssuer('staging', '01')).toBeUndefined();
      expect(await keys.findOprfKey('staging', RP)).toEqual(oprfKey(RP));
      expect(await keys.findOprfKey('production', RP)).toBeUndefined();
      expect(await keys.findOprfKey('staging', RP.toUpperCase())).toBeUndefined();
    });

    it('are replaced by a later key of the same owner, in its environment only', async () => {
      const other = { environment: 'production', x: bytes32(9) } as const;
      await keys.put([issuer('1'), issuer('1', other)], [oprfKey(RP), oprfKey(RP, other)]);
      const change = { x: bytes32(3), y: bytes32(4), source: 'chain', updatedAt: 2000 };
      await keys.put([issuer('1', change)], [oprfKey(RP, change)]);
      expect(await keys.listIssuers()).toEqual([issuer('1', other), issuer('1', change)]);
      expect(await keys.listOprfKeys()).toEqual([oprfKey(RP, other), oprfKey(RP, change)]);
    });

    it('are no longer found once removed, and count again when they are put again', async () => {
      await keys.put([issuer('1'), issuer('2')], [oprfKey(RP)]);
      expect(await keys.removeIssuer('production', '1', 2000)).toBe(false);
      expect(await keys.removeIssuer('staging', '1', 2000)).toBe(true);
      expect(await keys.removeIssuer('staging', '1', 3000)).toBe(false);
      expect(await keys.removeOprfKey('staging', RP, 2000)).toBe(true);
      expect(await keys.removeOprfKey('staging', RP, 3000)).toBe(false);
      expect(await keys.findIssuer('staging', '1')).toBeUndefined();
      expect(await keys.findOprfKey('staging', RP)).toBeUndefined();
      expect(await keys.listIssuers()).toEqual([issuer('2')]);
      expect(await keys.listOprfKeys()).toEqual([]);
      await keys.put([issuer('1', { updatedAt: 4000 })], []);
      expect(await keys.findIssuer('staging', '1')).toEqual(issuer('1', { updatedAt: 4000 }));
    });

    it('are put all or none', async () => {
      const bad = oprfKey(RP, { updatedAt: Number.NaN });
      await expect(keys.put([issuer('1')], [bad])).rejects.toMatchObject({ code: 'store.invalid_value' });
      expect(await keys.listIssuers()).toEqual([]);
      await keys.put([], []);
    });

    it('are counted by environment and table without removed ones', async () => {
      expect(await keys.countKeys()).toEqual([]);
      await keys.put(
        [issuer('1'), issuer('2'), issuer('3'), issuer('1', { environment: 'production' })],
        [oprfKey(RP)],
      );
      await keys.removeIssuer('staging', '3', 2000);
      const counts = await keys.countKeys();
      expect(
        counts.map(({ environment, table, count }) => `${environment} ${table} ${count}`).sort(),
      ).toEqual(['production issuers4 1', 'staging issuers4 2', 'staging oprf_keys4 1']);
    });
  });
}
