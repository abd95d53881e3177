import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { OneLeafTree } from '../../../src/engine/worker/one-leaf-tree.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { oneLeafProof } from '../../../src/semaphore/merkle-tree.ts';
import { R } from '../../support/crypto/bn254.ts';
import { referencePoseidon, referenceRoot } from '../../support/crypto/reference-tree.ts';
import { scalarStream } from '../../support/crypto/trapdoor.ts';
import { describeBackend, startEngine } from '../support/describe-engine.ts';
import { CREDENTIALS, word } from '../support/vectors.ts';

const { one_leaf_roots } = CREDENTIALS.semaphore;
const LEAF = word('7');

/** Roots of the reference, which all backends must return. */
const expectedRoots = async () => {
  const poseidon = await referencePoseidon();
  const next = scalarStream('one-leaf root');
  const leaves = ['0', '1', String(R - 1n), ...Array.from({ length: 20 }, () => String(next()))].map(word);
  const byLeaf = await Promise.all(leaves.map(async (leaf) => (await oneLeafProof(leaf, poseidon)).root));
  const depths = [...Array.from({ length: 32 }, (_, index) => index + 1), 64];
  const byDepth = await Promise.all(depths.map((depth) => referenceRoot([LEAF], depth)));
  return {
    leaves,
    byLeaf: byLeaf.map(toHex),
    depths,
    byDepth: byDepth.map(toHex),
    root: await referenceRoot([LEAF]),
  };
};
let expected: Awaited<ReturnType<typeof expectedRoots>>;
beforeAll(async () => {
  expected = await expectedRoots();
});

describeBackend('the root of a one-leaf tree', (backend) => {
  describe.each([
    ['in a worker', 1],
    ['in the calling thread', 0],
  ])('%s', (_, workers) => {
    let engine: ProofEngine;
    beforeAll(async () => {
      ({ engine } = await startEngine({ backend, workers }));
    });
    afterAll(() => engine?.close());

    it('equals that of the vectors at each depth, in ascending and descending order', async () => {
      expect(one_leaf_roots.map(({ depth }) => depth)).toEqual([16, 20, 30]);
      for (const { commitment, depth, root } of [...one_leaf_roots, ...one_leaf_roots.toReversed()]) {
        expect(toHex(await engine.oneLeafRoot(word(commitment), depth))).toBe(root);
      }
    });

    it('equals the reference implementation for the leaves 0, r - 1 and many in between', async () => {
      const { leaves, byLeaf } = expected;
      const roots = await Promise.all(leaves.map((leaf) => engine.oneLeafRoot(leaf, 30)));
      expect(roots.map(toHex)).toEqual(byLeaf);
    });

    it('is right for calls of one turn at every depth', async () => {
      const { depths, byDepth } = expected;
      const roots = await Promise.all(depths.map((depth) => engine.oneLeafRoot(LEAF, depth)));
      expect(roots.map(toHex)).toEqual(byDepth);
    });

    it('is refused for a leaf that is not a field element, and other calls of the batch are answered', async () => {
      const [high, good, highest] = await Promise.allSettled([
        engine.oneLeafRoot(word(String(R)), 30),
        engine.oneLeafRoot(LEAF, 30),
        engine.oneLeafRoot(new Uint8Array(32).fill(255), 30),
      ]);
      for (const one of [high, highest]) {
        expect(one).toMatchObject({ status: 'rejected', reason: { code: 'input.range' } });
      }
      expect(good).toEqual({ status: 'fulfilled', value: expected.root });
    });

    it.each([0, -1, 65, 1.5, Number.NaN])('is refused for the depth %d', async (depth) => {
      await expect(engine.oneLeafRoot(LEAF, depth)).rejects.toMatchObject({ code: 'hash.input' });
    });

    it.each([0, 31, 33, 64])('is refused for a leaf of %i bytes', async (length) => {
      await expect(engine.oneLeafRoot(new Uint8Array(length), 30)).rejects.toMatchObject({
        code: 'hash.input',
      });
    });

    it('is not affected by later changes of the leaf by the caller', async () => {
      const leaf = LEAF.slice();
      const root = engine.oneLeafRoot(leaf, 30);
      leaf.fill(0);
      expect(await root).toEqual(expected.root);
    });
  });

  it('is refused while the queue is full, and after the engine has closed', async () => {
    const { engine } = await startEngine({ backend, workers: 1, maxQueue: 1 });
    const first = engine.oneLeafRoot(LEAF, 30);
    await expect(engine.oneLeafRoot(LEAF, 30)).rejects.toMatchObject({ code: 'engine.busy' });
    expect(await first).toEqual(expected.root);
    await engine.close();
    await expect(engine.oneLeafRoot(LEAF, 30)).rejects.toMatchObject({ code: 'engine.draining' });
  });
});

describe('a one-leaf tree', () => {
  it('hashes its empty nodes once', async () => {
    let hashes = 0;
    const counting = (inputs: Uint8Array): Uint8Array => {
      hashes += 1;
      return inputs.slice(32).map((byte, index) => byte ^ (inputs[index] ?? 0) ^ 1);
    };
    const tree = new OneLeafTree();
    const counted = (depth: number): number => {
      hashes = 0;
      tree.roots(LEAF, depth, counting);
      return hashes;
    };
    expect([counted(10), counted(10), counted(30), counted(30), counted(4)]).toEqual([19, 10, 50, 30, 4]);
  });

  it('hashes many leaves level by level, with one call per level', async () => {
    const poseidon = await referencePoseidon();
    let calls = 0;
    const hashPairs = (pairs: Uint8Array): Uint8Array => {
      calls += 1;
      const nodes = Array.from({ length: pairs.length / 64 }, (_, index) =>
        poseidon(pairs.slice(64 * index, 64 * (index + 1))),
      );
      return new Uint8Array(Buffer.concat(nodes as Uint8Array[]));
    };
    const tree = new OneLeafTree();
    const leaves = ['0', '7', '7', String(R - 1n), '12'].map(word);
    const expected = await Promise.all(leaves.map((leaf) => referenceRoot([leaf], 9)));
    const side = new Uint8Array(Buffer.concat(leaves));
    tree.roots(side, 9, hashPairs);
    calls = 0;
    expect(toHex(tree.roots(side, 9, hashPairs))).toBe(toHex(new Uint8Array(Buffer.concat(expected))));
    expect(calls).toBe(9);
  });

  it('keeps no empty node of a failed hash', async () => {
    const poseidon = await referencePoseidon();
    const hash = (inputs: Uint8Array): Uint8Array => poseidon(inputs) as Uint8Array;
    const tree = new OneLeafTree();
    let left = 7;
    const failing = (inputs: Uint8Array): Uint8Array => {
      left -= 1;
      if (left === 0) throw new Error('trapped');
      return hash(inputs);
    };
    expect(() => tree.roots(LEAF, 30, failing)).toThrow('trapped');
    expect(tree.roots(LEAF, 30, hash)).toEqual(await referenceRoot([LEAF]));
  });
});
