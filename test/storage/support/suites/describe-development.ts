import { describe, expect, it } from 'vitest';
import type { PersonRow, TreeNode } from '../../../../src/storage/development.ts';
import type { RootRow } from '../../../../src/storage/roots.ts';
import { bytes32, rootRow } from '../rows.ts';
import { store } from '../subject.ts';

/** Makes a path of three nodes; the store does not check depths. */
function path(index: number, hash: number): TreeNode[] {
  return [0, 1, 2].map((level) => ({
    level,
    index: Math.floor(index / 2 ** level),
    hash: bytes32(level === 0 ? hash : hash + 100 + level),
  }));
}

function root(value: number, receivedAt: number): RootRow {
  return rootRow({
    environment: 'staging',
    root: bytes32(value),
    receivedAt,
    source: 'development',
    keyId: 'dev-depth30',
  });
}

function person(change: Partial<PersonRow> = {}): PersonRow {
  return {
    personId: 'a',
    trapdoor: bytes32(1),
    nullifier: bytes32(2),
    commitment: bytes32(3),
    createdAt: 1000,
    ...change,
  };
}

/** Tests for the trees and people of the development profile. */
export function describeDevelopment(): void {
  describe('development trees', () => {
    it('appends a leaf with its path and makes the root current', async () => {
      const { development, roots } = store;
      expect(await development.leafCount('orb')).toBe(0);
      expect(await development.append('orb', path(0, 1), root(50, 1000))).toBe(true);
      expect(await development.append('orb', path(1, 2), root(51, 2000))).toBe(true);
      expect(await development.leafCount('orb')).toBe(2);
      expect(await development.leafCount('device')).toBe(0);
      expect(await development.findLeaf('orb', bytes32(1))).toBe(0);
      expect(await development.findLeaf('orb', bytes32(2))).toBe(1);
      expect(await development.findLeaf('device', bytes32(1))).toBeUndefined();
      expect(await development.findLeaf('orb', bytes32(102))).toBeUndefined();
      expect(await roots.list()).toEqual([{ ...root(50, 1000), supersededAt: 2000 }, root(51, 2000)]);
    });

    it('returns the existing nodes of one tree, with inner nodes updated by later leaves', async () => {
      const { development } = store;
      await development.append('orb', path(0, 1), root(50, 1000));
      await development.append('orb', path(1, 2), root(51, 2000));
      await development.append('device', path(0, 9), root(50, 1000));
      const wanted = [0, 1, 2, 3].map((level) => ({ level, index: 0 }));
      const found = await development.nodes('orb', [...wanted, { level: 0, index: 7 }]);
      expect(found.toSorted((a, b) => a.level - b.level)).toEqual([
        { level: 0, index: 0, hash: bytes32(1) },
        { level: 1, index: 0, hash: bytes32(103) },
        { level: 2, index: 0, hash: bytes32(104) },
      ]);
      expect(await development.nodes('orb', [])).toEqual([]);
    });

    it('changes nothing when index or commitment is taken', async () => {
      const { development, roots } = store;
      await development.append('orb', path(0, 1), root(50, 1000));
      expect(await development.append('orb', path(0, 2), root(51, 2000))).toBe(false);
      expect(await development.append('orb', path(1, 1), root(52, 2000))).toBe(false);
      expect(await development.leafCount('orb')).toBe(1);
      expect((await store.rowCounts()).development_nodes).toBe(3);
      expect(await development.nodes('orb', [{ level: 1, index: 0 }])).toEqual([
        { level: 1, index: 0, hash: bytes32(102) },
      ]);
      expect(await roots.list()).toEqual([root(50, 1000)]);
    });

    it('accepts equal hashes above the leaves, and one commitment in both trees', async () => {
      const same: TreeNode[] = [
        { level: 0, index: 0, hash: bytes32(1) },
        { level: 1, index: 0, hash: bytes32(1) },
      ];
      expect(await store.development.append('orb', same, root(50, 1000))).toBe(true);
      expect(await store.development.append('device', same, { ...root(50, 1000), tree: 'device' })).toBe(
        true,
      );
    });

    it('refuses an empty path', async () => {
      await expect(store.development.append('orb', [], root(50, 1000))).rejects.toMatchObject({
        code: 'store.invalid_value',
      });
    });
  });

  describe('development people', () => {
    it('stores the secrets of a person, and keeps the first person of an id', async () => {
      const { development } = store;
      await development.putPerson(person());
      await development.putPerson(person({ createdAt: 9000, trapdoor: bytes32(9) }));
      expect(await development.findPerson('a')).toEqual(person());
      expect(await development.findPerson('b')).toBeUndefined();
    });

    it('lists the latest first', async () => {
      for (const [personId, createdAt] of [
        ['b', 2000] as const,
        ['c', 3000] as const,
        ['a', 2000] as const,
      ]) {
        await store.development.putPerson(person({ personId, createdAt }));
      }
      const listed = await store.development.listPersons();
      expect(listed.map(({ personId }) => personId)).toEqual(['c', 'a', 'b']);
    });
  });
}
