/** Trees with another Poseidon (circomlibjs) and plain loops, sharing no code with the product. */

import { buildPoseidon } from 'circomlibjs';
import type { Poseidon } from '../../../src/semaphore/hashes.ts';
import { be32, fromBe } from './bn254.ts';

type Hash = (...inputs: readonly bigint[]) => bigint;
let cachedHash: Promise<Hash> | undefined;

/** Poseidon of circomlibjs on numbers. */
export function referenceHash(): Promise<Hash> {
  cachedHash ??= buildPoseidon().then(
    (poseidon) =>
      (...inputs) =>
        poseidon.F.toObject(poseidon(inputs.map((input) => poseidon.F.e(input)))),
  );
  return cachedHash;
}

/** Poseidon of circomlibjs, in the form that `src/semaphore` takes. */
export async function referencePoseidon(): Promise<Poseidon> {
  const hash = await referenceHash();
  return (inputs) =>
    be32(
      hash(
        ...Array.from({ length: inputs.length / 32 }, (_, i) => fromBe(inputs.subarray(32 * i, 32 * i + 32))),
      ),
    );
}

/** Root of the tree with these leaves from index 0; the empty leaf is 0. */
export async function referenceRoot(leaves: readonly Uint8Array[], depth = 30): Promise<Uint8Array> {
  const hash = await referenceHash();
  let row = leaves.map(fromBe);
  let empty = 0n;
  for (let level = 0; level < depth; level++) {
    const next: bigint[] = [];
    for (let i = 0; i < row.length; i += 2) next.push(hash(row[i] as bigint, row[i + 1] ?? empty));
    row = next;
    empty = hash(empty, empty);
  }
  return be32(row[0] ?? empty);
}
