import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDevelopmentTrees,
  type DevelopmentTrees,
  type EnrolledLeaf,
} from '../../src/development/trees.ts';
import type { Poseidon } from '../../src/semaphore/hashes.ts';
import { pathNodes, TREE_DEPTH } from '../../src/semaphore/merkle-tree.ts';
import { numberOf, SCALAR_ORDER, wordOf } from '../../src/semaphore/words.ts';
import type { Store } from '../../src/storage/store.ts';
import { startChild } from '../storage/support/processes/child.ts';
import { GROUP_SETTINGS } from '../storage/support/rows.ts';
import { RUNS_ALL } from '../support/cases.ts';
import { referencePoseidon, referenceRoot } from '../support/crypto/reference-tree.ts';
import { openMigratedStore } from '../support/server/migrated-store.ts';
import { leaf } from './support/leaves.ts';

const ENROLL_PROCESS = '../../../development/support/enroll-process.ts';
const leaves = (count: number): Uint8Array[] => Array.from({ length: count }, (_, number) => leaf(number));

describe('development trees', () => {
  let poseidon: Poseidon;
  let folder: string;
  let url: string;
  let store: Store;
  let trees: DevelopmentTrees;
  let now = 1000;
  beforeAll(async () => {
    poseidon = await referencePoseidon();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'proofgate-trees-'));
    url = `libsql:${join(folder, 'proofgate.db')}`;
    store = await openMigratedStore({ url, ...GROUP_SETTINGS });
    now = 1000;
    trees = createDevelopmentTrees({ store, poseidon, now: () => now });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const currentRoot = async (tree: string): Promise<Uint8Array | undefined> =>
    (await store.roots.listCurrent()).find((row) => row.environment === 'staging' && row.tree === tree)?.root;

  /** Sorts the leaves by the indices that enrolments returned, and expects indices 0 to n - 1. */
  const inOrder = (answers: readonly { readonly number: number; readonly index: number }[]): Uint8Array[] => {
    const sorted = answers.toSorted((a, b) => a.index - b.index);
    expect(sorted.map(({ index }) => index)).toEqual(sorted.map((_, index) => index));
    return sorted.map(({ number }) => leaf(number));
  };

  it('appends commitments and makes each root current, in environment staging with key dev-depth30', async () => {
    const first = await trees.enroll('orb', leaf(0));
    now = 2000;
    const second = await trees.enroll('orb', leaf(1));
    expect(first).toEqual({ tree: 'orb', index: 0, root: await referenceRoot(leaves(1)) });
    expect(second).toEqual({ tree: 'orb', index: 1, root: await referenceRoot(leaves(2)) });
    const row = { environment: 'staging', tree: 'orb', source: 'development', keyId: 'dev-depth30' };
    expect(await store.roots.list()).toEqual([
      { ...row, root: first.root, receivedAt: 1000, supersededAt: 2000 },
      { ...row, root: second.root, receivedAt: 2000, supersededAt: null },
    ]);
  });

  it('returns the index and the current root of an enrolled commitment, and changes nothing', async () => {
    await trees.enroll('orb', leaf(0));
    const { root } = await trees.enroll('orb', leaf(1));
    const before = await store.roots.list();
    now = 5000;
    expect(await trees.enroll('orb', leaf(0))).toEqual({ tree: 'orb', index: 0, root });
    expect(await store.roots.list()).toEqual(before);
    expect(await store.development.leafCount('orb')).toBe(2);
  });

  it('makes its root current again on the next enrolment after an operator put another root', async () => {
    const { root } = await trees.enroll('orb', leaf(0));
    const operators = { environment: 'staging', tree: 'orb', keyId: null, source: 'operator' } as const;
    await store.roots.put([{ ...operators, root: leaf(9), receivedAt: 2000, supersededAt: null }]);
    expect(await currentRoot('orb')).toEqual(leaf(9));
    now = 3000;
    expect(await trees.enroll('orb', leaf(0))).toEqual({ tree: 'orb', index: 0, root });
    expect(await store.roots.find('staging', 'orb', root)).toMatchObject({
      receivedAt: 3000,
      supersededAt: null,
    });
  });

  it('keeps the trees orb and device separate', async () => {
    await trees.enroll('orb', leaf(0));
    const device = await trees.enroll('device', leaf(1));
    expect(device).toMatchObject({ index: 0, root: await referenceRoot([leaf(1)]) });
    expect(await currentRoot('orb')).toEqual(await referenceRoot([leaf(0)]));
    expect(await currentRoot('device')).toEqual(device.root);
    expect(await trees.inclusionProof('device', leaf(0))).toBeUndefined();
  });

  it('proves each leaf against the current root', async () => {
    for (const one of leaves(9)) await trees.enroll('orb', one);
    const root = await referenceRoot(leaves(9));
    for (const [index, one] of leaves(9).entries()) {
      const proof = await trees.inclusionProof('orb', one);
      expect(proof).toMatchObject({ index, root });
      expect(proof?.siblings).toHaveLength(TREE_DEPTH);
      const bits = proof?.pathIndices.map((bit, level) => bit * 2 ** level) ?? [];
      expect(bits.reduce((sum, bit) => sum + bit, 0)).toBe(index);
      expect((await pathNodes(one, index, proof?.siblings ?? [], poseidon)).at(-1)).toEqual(root);
      expect(Object.keys(proof ?? {}).sort()).toEqual(['index', 'pathIndices', 'root', 'siblings']);
    }
    expect(await trees.inclusionProof('orb', leaf(9))).toBeUndefined();
  });

  it('continues the tree after the store is closed and reopened', async () => {
    for (const one of leaves(3)) await trees.enroll('orb', one);
    await store.close();
    store = await openMigratedStore({ url, ...GROUP_SETTINGS });
    const again = createDevelopmentTrees({ store, poseidon, now: () => now });
    expect(await again.enroll('orb', leaf(3))).toMatchObject({
      index: 3,
      root: await referenceRoot(leaves(4)),
    });
  });

  it.each([
    ['zero, the empty leaf', new Uint8Array(32)],
    ['the scalar order', wordOf(SCALAR_ORDER)],
    ['all ones', new Uint8Array(32).fill(0xff)],
    ['31 bytes', new Uint8Array(31).fill(1)],
    ['33 bytes', new Uint8Array(33).fill(1)],
  ])('refuses %s as a commitment', async (_, commitment) => {
    await expect(trees.enroll('orb', commitment)).rejects.toMatchObject({
      code: 'development.invalid_commitment',
    });
    expect(await store.development.leafCount('orb')).toBe(0);
    expect(await trees.enroll('orb', leaf(0))).toMatchObject({ index: 0 });
  });

  it('accepts the largest number below the scalar order', async () => {
    const commitment = wordOf(SCALAR_ORDER - 1n);
    expect(await trees.enroll('orb', commitment)).toMatchObject({ root: await referenceRoot([commitment]) });
  });

  it('refuses a commitment when the tree is full', async () => {
    const last = { level: 0, index: 2 ** TREE_DEPTH - 1, hash: leaf(0) };
    const row = { environment: 'staging', tree: 'orb', root: leaf(1), receivedAt: 0 } as const;
    const filled = { ...row, supersededAt: null, source: 'development', keyId: null };
    expect(await store.development.append('orb', [last], filled)).toBe(true);
    await expect(trees.enroll('orb', leaf(1))).rejects.toMatchObject({ code: 'development.tree_full' });
    expect((await trees.enroll('device', leaf(1))).index).toBe(0);
  });

  it('gives 20 parallel enrolments distinct indices, and one root over all leaves', async () => {
    const answers = await Promise.all(leaves(20).map((one) => trees.enroll('orb', one)));
    const numbered = answers.map(({ index }, number) => ({ number, index }));
    expect(await currentRoot('orb')).toEqual(await referenceRoot(inOrder(numbered)));
  });

  it('enrols a commitment once when it is sent many times in parallel', async () => {
    const other = createDevelopmentTrees({ store, poseidon, now: () => now });
    const calls = Array.from({ length: 10 }, (_, at) => (at % 2 ? trees : other).enroll('orb', leaf(0)));
    const answers: EnrolledLeaf[] = await Promise.all(calls);
    expect(new Set(answers.map(({ index, root }) => `${index} ${numberOf(root)}`)).size).toBe(1);
    expect(await store.development.leafCount('orb')).toBe(1);
  });

  if (RUNS_ALL) {
    it('serves three processes that enrol at the same time', async () => {
      const count = 15;
      const children = [0, 1].map((at) => startChild(ENROLL_PROCESS, [url, `${at * count}`, `${count}`]));
      await Promise.all(children.map((child) => child.waitForLines(1)));
      for (const child of children) child.endInput();
      const own = Array.from({ length: count }, (_, at) => 2 * count + at);
      const answers = await Promise.all(own.map((number) => trees.enroll('orb', leaf(number))));
      expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
      const others = children.flatMap(({ lines }) =>
        lines.slice(1).map((line) => {
          const [number = Number.NaN, index = Number.NaN] = line.split(' ').map(Number);
          return { number, index };
        }),
      );
      const mine = own.map((number, at) => ({ number, index: answers[at]?.index ?? Number.NaN }));
      expect(others).toHaveLength(2 * count);
      const ordered = inOrder([...mine, ...others]);
      expect(ordered).toHaveLength(3 * count);
      const root = await referenceRoot(ordered);
      expect(await currentRoot('orb')).toEqual(root);
      expect(await trees.inclusionProof('orb', leaf(0))).toMatchObject({ root });
    });
  }
});
