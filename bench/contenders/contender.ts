import type { ProofMember, ProofSet } from './proof-set.ts';

/** A verifier of single proofs, with key and proofs in the form that it likes best. */
export interface Groth16Contender {
  readonly name: string;
  readonly isPeer: boolean;
  /** What a call includes, in a few words. */
  readonly scope: string;
  /** Puts shared state in place; called outside the timed part. */
  readonly before?: () => void;
  /** Takes the members over in its own form, outside the timed part, and gives one verifier per member. */
  readonly prepare: (members: readonly ProofMember[]) => ((() => boolean) | (() => Promise<boolean>))[];
  readonly close: () => Promise<void>;
}

/** Makes a contender for the key of the set. */
export type LoadContender = (set: ProofSet) => Promise<Groth16Contender>;

/**
 * Asks every contender about every member.
 *
 * @throws Error naming contender and member when an answer is not the right one.
 */
export async function assertAgreement(contenders: readonly Groth16Contender[], set: ProofSet): Promise<void> {
  const members = [...set.valid, ...set.invalid];
  for (const contender of contenders) {
    const verifiers = contender.prepare(members);
    for (const [index, verify] of verifiers.entries()) {
      contender.before?.();
      const [answer, expected] = [await verify(), members[index]?.isTrue];
      if (answer !== expected)
        throw new Error(`${contender.name} says ${answer} of proof ${index}; ${expected} is right`);
    }
  }
}
