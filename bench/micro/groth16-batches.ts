import { answerOf, type Build, batchOf, prepareBuild } from '../contenders/builds.ts';
import type { ProofMember, ProofSet } from '../contenders/proof-set.ts';
import { contestantName, roundRobin, type Timed } from './groth16-timed.ts';

/**
 * Compares the verdicts on one batch of valid, false and malformed members with the expected ones.
 *
 * @throws Error naming the build and the member of a wrong verdict
 */
export function assertMixedBatch(build: Build, set: ProofSet): void {
  const members = [...set.refused, ...set.invalid.slice(0, 12), ...set.valid].slice(0, 64);
  const verdicts = prepareBuild(build, set.key).verify(batchOf(members));
  for (const [index, { kind, expected }] of members.entries()) {
    const answer = answerOf(verdicts[index]);
    if (answer !== expected)
      throw new Error(
        `${build.name} answers ${answer} for member ${index} (${kind}) of a batch; expected ${expected}`,
      );
  }
}

/** Returns `size` members from `start` on, wrapping around at the end. */
function cut(members: readonly ProofMember[], start: number, size: number): ProofMember[] {
  return Array.from({ length: size }, (_, index) => members[(start + index) % members.length] as ProofMember);
}

/** Makes contestants that verify batches of valid proofs, one for each build and each size above 1. */
export function timedBatches(builds: readonly Build[], set: ProofSet, sizes: readonly number[]): Timed[] {
  return builds.flatMap((build) => {
    const { verify } = prepareBuild(build, set.key);
    return sizes
      .filter((size) => size > 1)
      .map((size): Timed => {
        // Each batch begins with another proof, even if it contains all proofs several times.
        const starts = Array.from({ length: Math.max(4, set.valid.length / size) }, (_, i) => i * size + i);
        const batches = starts.map((start) => batchOf(cut(set.valid, start, size)));
        return {
          contender: build.name,
          parameters: { ...set.parameters, batch: size },
          isPeer: false,
          contestant: {
            name: contestantName(build.name, { ...set.parameters, batch: size }),
            operations: size,
            ...(build.before ? { before: build.before } : {}),
            run: roundRobin(batches.map((bytes) => (): void => void verify(bytes))),
          },
        };
      });
  });
}

/** Makes two batches of `size` members, `percent` % of them false and spread over both batches. */
export function batchesWithBad(set: ProofSet, percent: number, size: number): Uint8Array[] {
  // At 1 %, every second batch of 64 has one bad proof.
  const bad = [Math.floor((size * percent) / 100), Math.ceil((size * percent) / 100)];
  return bad.map((count, round) => {
    const members = cut(set.valid, 7 * round, size);
    for (let i = 0; i < count; i++) {
      // An odd step reaches every position, since the size is a power of two.
      const at = (i * 37 + 11) % size;
      members[at] = set.invalid[(at + round) % set.invalid.length] as ProofMember;
    }
    return batchOf(members);
  });
}
