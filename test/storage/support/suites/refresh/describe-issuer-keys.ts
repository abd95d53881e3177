import { beforeEach, describe, expect, it } from 'vitest';
import type { IssuerKeyStore } from '../../../../../src/storage/refresh/issuer-keys.ts';
import { issuerKey, SCHEMA, START } from '../../refresh-rows.ts';
import { store } from '../../subject.ts';

/** Tests for credential keys. */
export function describeIssuerKeys(): void {
  let keys: IssuerKeyStore;

  beforeEach(() => {
    keys = store.issuerKeys;
  });

  const states = async (schema = SCHEMA): Promise<string[]> =>
    (await keys.list(schema)).map(({ keyId, status, retiredAt }) => `${keyId} ${status} ${retiredAt}`);

  describe('credential keys', () => {
    it('start with one active key', async () => {
      const configured = issuerKey('a', { origin: 'configured', sealedSeed: null });
      expect(await keys.activate(configured, undefined, START)).toBe(true);
      expect(await keys.list(SCHEMA)).toEqual([configured]);
      expect(await keys.activate(issuerKey('b'), undefined, START)).toBe(false);
      expect(await keys.list(SCHEMA)).toEqual([configured]);
    });

    it('can be activated repeatedly by several callers', async () => {
      const activating = Array.from({ length: 10 }, () => keys.activate(issuerKey('a'), undefined, START));
      expect(new Set(await Promise.all(activating))).toEqual(new Set([true]));
      expect(await states()).toEqual(['a active null']);
      await keys.activate(issuerKey('b'), 'a', START + 1);
      expect(await keys.activate(issuerKey('b'), 'a', START + 2)).toBe(true);
      expect(await states()).toEqual(['b active null', `a retired ${START + 1}`]);
    });

    it('retire the former key, which no other key can replace afterwards', async () => {
      await keys.activate(issuerKey('a'), undefined, START);
      expect(await keys.activate(issuerKey('b', { registeredAt: START + 1 }), 'a', START + 5)).toBe(true);
      expect(await keys.activate(issuerKey('c', { registeredAt: START + 2 }), 'a', START + 6)).toBe(false);
      expect(await keys.activate(issuerKey('c', { registeredAt: START + 2 }), 'none', START + 6)).toBe(false);
      expect(await states()).toEqual(['b active null', `a retired ${START + 5}`]);
    });

    it('can be activated again after retirement, with the stored seed', async () => {
      await keys.activate(issuerKey('a'), undefined, START);
      await keys.activate(issuerKey('b'), 'a', START + 5);
      await keys.reseal(SCHEMA, 'a', 'sealed.a', 'anew');
      expect(await keys.activate(issuerKey('a'), 'b', START + 6)).toBe(true);
      expect(await states()).toEqual(['a active null', `b retired ${START + 6}`]);
      expect((await keys.list(SCHEMA))[0]?.sealedSeed).toBe('anew');
    });

    it('cannot be activated after revocation, and the attempt changes nothing', async () => {
      await keys.activate(issuerKey('a'), undefined, START);
      await keys.activate(issuerKey('b'), 'a', START + 5);
      expect(await keys.revoke(SCHEMA, 'a', START + 6)).toBe(true);
      expect(await keys.activate(issuerKey('a'), 'b', START + 7)).toBe(false);
      expect(await states()).toEqual(['b active null', `a revoked ${START + 5}`]);
      expect(await keys.revoke(SCHEMA, 'b', START + 8)).toBe(true);
      expect(await keys.activate(issuerKey('a'), undefined, START + 9)).toBe(false);
      expect(await keys.activate(issuerKey('c'), undefined, START + 9)).toBe(true);
      expect(await states()).toEqual(['c active null', `a revoked ${START + 5}`, `b revoked ${START + 8}`]);
    });

    it('lose their seed when they are revoked', async () => {
      await keys.activate(issuerKey('a'), undefined, START);
      expect(await keys.revoke(SCHEMA, 'a', START + 1)).toBe(true);
      expect(await keys.revoke(SCHEMA, 'a', START + 2)).toBe(true);
      const revoked = { status: 'revoked', sealedSeed: null, retiredAt: START + 1 } as const;
      expect(await keys.list(SCHEMA)).toEqual([issuerKey('a', revoked)]);
      expect(await keys.revoke(SCHEMA, 'b', START)).toBe(false);
      expect(await keys.revoke('2', 'a', START)).toBe(false);
    });

    it('are resealed only if the stored seed is the expected one', async () => {
      await keys.activate(issuerKey('a'), undefined, START);
      expect(await keys.reseal(SCHEMA, 'a', 'other', 'anew')).toBe(false);
      expect(await keys.reseal('2', 'a', 'sealed.a', 'anew')).toBe(false);
      expect(await keys.reseal(SCHEMA, 'a', 'sealed.a', 'anew')).toBe(true);
      expect(await keys.reseal(SCHEMA, 'a', 'sealed.a', 'again')).toBe(false);
      expect((await keys.list(SCHEMA))[0]?.sealedSeed).toBe('anew');
    });

    it('include one active key per issuer schema, and are listed newest first', async () => {
      const other = issuerKey('a', { issuerSchemaId: '2' });
      expect(await keys.activate(other, undefined, START)).toBe(true);
      for (const [index, keyId] of ['d', 'c', 'b', 'a'].entries()) {
        const former = (await keys.list(SCHEMA))[0]?.keyId;
        const key = issuerKey(keyId, { registeredAt: START + index });
        expect(await keys.activate(key, former, START + 9)).toBe(true);
      }
      await keys.activate(issuerKey('d'), 'a', START + 10);
      expect((await keys.list(SCHEMA)).map(({ keyId }) => keyId)).toEqual(['d', 'a', 'b', 'c']);
      expect((await keys.listAll()).map(({ issuerSchemaId, keyId }) => issuerSchemaId + keyId)).toEqual([
        '1d',
        '1a',
        '1b',
        '1c',
        '2a',
      ]);
      expect(await keys.list('2')).toEqual([other]);
    });

    it('are rotated once by parallel rotations', async () => {
      await keys.activate(issuerKey('first'), undefined, START);
      const rotating = Array.from({ length: 30 }, (_, number) =>
        keys.activate(issuerKey(`key-${number}`), 'first', START + 1),
      );
      const outcomes = await Promise.all(rotating);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const winner = `key-${outcomes.indexOf(true)}`;
      expect(await states()).toEqual([`${winner} active null`, `first retired ${START + 1}`]);
    });
  });
}
