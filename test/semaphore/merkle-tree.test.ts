import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Poseidon } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { emptyNodes, oneLeafProof, pathBit, pathNodes } from '../../src/semaphore/merkle-tree.ts';
import { numberOf, wordOf } from '../../src/semaphore/words.ts';
import { CREDENTIALS, word } from '../engine/support/vectors.ts';
import { referencePoseidon, referenceRoot } from '../support/crypto/reference-tree.ts';

const COMMITMENT = word('0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78');

describe('the Merkle tree', () => {
  let poseidon: Poseidon;
  let empty: Uint8Array[];
  beforeAll(async () => {
    poseidon = await referencePoseidon();
    empty = await emptyNodes(poseidon);
  });

  const rootAt = async (index: number): Promise<string> =>
    toHex((await pathNodes(COMMITMENT, index, empty.slice(0, 30), poseidon)).at(-1) ?? new Uint8Array());

  it.each([
    [0, `0x${'0'.repeat(64)}`],
    [1, '0x2098f5fb9e239eab3ceac3f27b81e481dc3124d55ffed523a839ee8446b64864'],
    [16, '0x2a7c7c9b6ce5880b9f6f228d72bf6a575a526f29c66ecceef8b753d38bba7323'],
    [20, '0x2134e76ac5d21aab186c2be1dd8f84ee880a1e46eaf712f9d371b6df22191f3e'],
    [29, '0x0f8666b62ed17491c50ceadead57d4cd597ef3821d65c328744c74e553dac26d'],
    [30, '0x0918d46bf52d98b034413f4a1a1c41594e7a7a3f6ae08cb43d1a2a230e1959ef'],
  ])('has the empty root of the specification at depth %i', (depth, root) => {
    expect(toHex(empty[depth] ?? new Uint8Array())).toBe(root);
  });

  it.each([
    [0, '0x284ec2782ec38c616bee1820936acdebe9f4fe8ce734d71fe2902eeae8eb0e87'],
    [5, '0x021bc8f969409bc0f9042a8c94079d4c7228778c488013171b5bfb36a5451c40'],
  ])(
    'with only the person "proofgate", at index %i, has the root of the specification',
    async (index, root) => {
      expect(await rootAt(index)).toBe(root);
    },
  );

  it('with one leaf has the roots of the credential vectors at each depth', async () => {
    const { one_leaf_roots } = CREDENTIALS.semaphore;
    expect(one_leaf_roots.length).toBeGreaterThanOrEqual(3);
    for (const { commitment, depth, root } of one_leaf_roots) {
      const path = await pathNodes(word(commitment), 0, empty.slice(0, depth), poseidon);
      expect(path.at(-1)).toEqual(word(root));
      if (depth === 30) {
        expect(await oneLeafProof(word(commitment), poseidon)).toMatchObject({
          root: word(root),
          index: 0,
          pathIndices: Array(30).fill(0),
        });
      }
    }
  });

  it('has the right path bits, also of an index beyond 2^31', () => {
    const bits = (index: number): number[] => Array.from({ length: 32 }, (_, level) => pathBit(index, level));
    for (const index of [0, 1, 5, 2 ** 29 + 3, 2 ** 30 - 1, 2 ** 31 + 1]) {
      expect(bits(index).reduce((sum, bit, level) => sum + bit * 2 ** level, 0)).toBe(index);
    }
  });

  it('with a few leaves has the root of another implementation, from the path of any leaf', async () => {
    const leaves = fc.array(fc.bigInt({ min: 1n, max: 2n ** 250n }), { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(leaves, fc.nat(), async (values, pick) => {
        const depth = 4;
        const index = pick % values.length;
        let row = values.map(wordOf);
        const siblings: Uint8Array[] = [];
        for (let level = 0, at = index; level < depth; level++, at = Math.floor(at / 2)) {
          const node = (position: number): Uint8Array => row[position] ?? (empty[level] as Uint8Array);
          siblings.push(node(at % 2 === 0 ? at + 1 : at - 1));
          const pairs = Math.ceil(row.length / 2);
          row = await Promise.all(
            Array.from({ length: pairs }, (_, i) =>
              poseidon(new Uint8Array(Buffer.concat([node(2 * i), node(2 * i + 1)]))),
            ),
          );
        }
        const path = await pathNodes(wordOf(values[index] ?? 0n), index, siblings, poseidon);
        expect(path).toHaveLength(depth + 1);
        expect(numberOf(path.at(-1) ?? new Uint8Array())).toBe(
          numberOf(await referenceRoot(values.map(wordOf), depth)),
        );
      }),
      { numRuns: 20 },
    );
  });
});
