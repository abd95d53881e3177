import type { HolderCheckOptions } from '../../../../src/refresh/holder/check-holder-proof.ts';
import type { HolderProof } from '../../../../src/refresh/holder/decode-proof-header.ts';
import type { TestHolder } from '../../../support/refresh/holder.ts';
import { type HolderNode, WAITING } from './holder-folder.ts';

/** Returns undefined if the check passes, else code, check number and rule of its refusal. */
export async function outcome(
  { check }: HolderNode,
  proof: HolderProof,
  holder: TestHolder,
  options: HolderCheckOptions = WAITING,
): Promise<unknown> {
  return await check.check(proof, holder, options).then(
    () => undefined,
    ({ code, details }) => [code, details.check, details.rule],
  );
}

/** Returns the `outcome` of a proof that a rule refuses. */
export const invalid = (rule: string): unknown => ['refresh.proof_invalid', 9, rule];
