import type { Answer, ProofMember, ProofSet } from './proof-set.ts';

/** A verifier of single proofs, with key and proofs in the form that it likes best. */
export interface Groth16Contender {
  readonly name: string;
  readonly isPeer: boolean;
  /** What a call includes, in a few words. */
  readonly scope: string;
  /** Kinds of members that it is not asked about before timing: what its scope leaves out, or a known fault. */
  readonly notAsked?: readonly string[];
  /** Whether it tells a refused member from a false one. */
  readonly tellsRefusals: boolean;
  /** Puts shared state in place; called outside the timed part. */
  readonly before?: () => void;
  /** Takes the members over in its own form, outside the timed part, and gives one verifier per member. */
  readonly prepare: (members: readonly ProofMember[]) => ((() => Answer) | (() => Promise<Answer>))[];
  /** Takes the time of so many checks of proofs that hold by itself: milliseconds. For programs of their own. */
  readonly measure?: (calls: number) => Promise<number>;
  /** What its time is; processor time where absent. */
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
 * Asks every contender about every member.
 *
 * @throws Error naming contender and member when an answer is not the right one.
 */
export async function assertAgreement(
  contenders: readonly Groth16Contender[],
  members: readonly ProofMember[],
): Promise<void> {
  for (const contender of contenders) {
    const asked = members.filter(({ kind }) => !contender.notAsked?.includes(kind));
    const verifiers = contender.prepare(asked);
    for (const [index, verify] of verifiers.entries()) {
      contender.before?.();
      const { kind, expected } = asked[index] as ProofMember;
      const right = expected === 'refused' && !contender.tellsRefusals ? false : expected;
      const answer = await verify();
      if (answer !== right)
        throw new Error(`${contender.name} says ${answer} of member ${index} (${kind}); ${right} is right`);
    }
  }
}
