import type { Answer, ProofMember, ProofSet } from './proof-set.ts';

/** A verifier of single proofs, with key and proofs in the form that it handles fastest. */
export interface Groth16Contender {
  readonly name: string;
  readonly isPeer: boolean;
  /** What a call includes, in a few words. */
  readonly scope: string;
  /** Kinds of members that the comparison before timing skips: outside its scope, or a known fault. */
  readonly skippedKinds?: readonly string[];
  /** Whether it distinguishes a refused member from a false one. */
  readonly distinguishesRefusals: boolean;
  /** Sets up shared state; called outside the timed part. */
  readonly before?: () => void;
  /** Converts the members to its own form, outside the timed part, and returns one verifier per member. */
  readonly prepare: (members: readonly ProofMember[]) => ((() => Answer) | (() => Promise<Answer>))[];
  /** Returns the milliseconds of `calls` checks of valid proofs; for contenders in another process. */
  readonly measure?: (calls: number) => Promise<number>;
  /** Clock of its times; processor time if absent. */
  readonly clock?: 'wall';
  readonly close: () => Promise<void>;
}

/** A contender that cannot run here, and why. */
export interface AbsentContender {
  readonly name: string;
  readonly reason: string;
}

/** Makes a contender for the key of the set. */
export type LoadContender = (set: ProofSet) => Promise<Groth16Contender | AbsentContender>;

/** Whether the contender can run. */
export const isPresent = (one: Groth16Contender | AbsentContender): one is Groth16Contender =>
  !('reason' in one);

/**
 * Compares the answers of every contender to every member with the expected ones.
 *
 * @throws Error naming contender and member of a wrong answer
 */
export async function assertAgreement(
  contenders: readonly Groth16Contender[],
  members: readonly ProofMember[],
): Promise<void> {
  for (const contender of contenders) {
    const asked = members.filter(({ kind }) => !contender.skippedKinds?.includes(kind));
    const verifiers = contender.prepare(asked);
    for (const [index, verify] of verifiers.entries()) {
      contender.before?.();
      const { kind, expected } = asked[index] as ProofMember;
      const right = expected === 'refused' && !contender.distinguishesRefusals ? false : expected;
      const answer = await verify();
      if (answer !== right)
        throw new Error(
          `${contender.name} answers ${answer} for member ${index} (${kind}); expected ${right}`,
        );
    }
  }
}
