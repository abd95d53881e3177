import { answerOf, type Build, batchOf, prepareBuild } from '../contenders/builds.ts';
import type { ProofMember, ProofSet } from '../contenders/proof-set.ts';
import type { Case } from '../report/types.ts';
import type { Contestant } from './interleave.ts';

/** A contestant and the case that its samples make. */
export interface Timed extends Pick<Case, 'contender' | 'parameters' | 'isPeer' | 'note'> {
  readonly contestant: Contestant;
}

/** Goes through the functions in turn, so that no proof is the only one. */
export function inTurn<T>(functions: readonly (() => T)[]): () => T {
  let next = 0;
  return () => (functions[next++ % functions.length] as () => T)();
}

/**
 * Compares the verdicts of one batch of true, false and malformed members with those of the members.
 *
 * @throws Error naming the build and the member.
 */
export function assertMixedBatch(build: Build, set: ProofSet): void {
  const members = [...set.refused, ...set.invalid.slice(0, 12), ...set.valid].slice(0, 64);
  const verdicts = prepareBuild(build, set.key).verify(batchOf(members));
  for (const [index, { kind, expected }] of members.entries()) {
    const answer = answerOf(verdicts[index]);
    if (answer !== expected)
      throw new Error(
        `${build.name} says ${answer} of member ${index} (${kind}) of a batch; ${expected} is right`,
      );
  }
}

/** `size` members from `start` on, beginning anew behind the last one. */
function cut(members: readonly ProofMember[], start: number, size: number): ProofMember[] {
  return Array.from({ length: size }, (_, index) => members[(start + index) % members.length] as ProofMember);
}

/** Contestants that verify batches of true proofs, one for each build and size above one. */
export function timedBatches(builds: readonly Build[], set: ProofSet, sizes: readonly number[]): Timed[] {
  return builds.flatMap((build) => {
    const { verify } = prepareBuild(build, set.key);
    return sizes
      .filter((size) => size > 1)
      .map((size): Timed => {
        // Each begins with another proof, also where one batch holds all of them several times.
        const starts = Array.from({ length: Math.max(4, set.valid.length / size) }, (_, i) => i * size + i);
        const batches = starts.map((start) => batchOf(cut(set.valid, start, size)));
        return {
          contender: build.name,
          parameters: { inputs: 4, batch: size },
          isPeer: false,
          contestant: {
            name: `${build.name} ${size}`,
            operations: size,
            ...(build.before ? { before: build.before } : {}),
            run: inTurn(batches.map((bytes) => (): void => void verify(bytes))),
          },
        };
      });
  });
}

/** A pass over batches of 64 with so many false members in percent, spread over the batches and within them. */
export function batchesWithBad(set: ProofSet, percent: number, size: number): Uint8Array[] {
  // With one bad proof in a hundred, every second batch of 64 has one.
  const bad = [Math.floor((size * percent) / 100), Math.ceil((size * percent) / 100)];
  return bad.map((count, round) => {
    const members = cut(set.valid, 7 * round, size);
    for (let i = 0; i < count; i++) {
      // Odd steps reach every place of a power of two.
      const at = (i * 37 + 11) % size;
      members[at] = set.invalid[(at + round) % set.invalid.length] as ProofMember;
    }
    return batchOf(members);
  });
}
