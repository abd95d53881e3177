import { contenderOf, loadBuildsFor } from '../contenders/builds.ts';
import { assertAgreement, type Groth16Contender, isPresent } from '../contenders/contender.ts';
import { loadPrograms } from '../contenders/programs.ts';
import { agreementMembers, loadProofSet, type ProofSet } from '../contenders/proof-set.ts';
import { loadWorldId4Sets } from '../contenders/worldid4-set.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { assertMixedBatch, timedBatches } from './groth16-batches.ts';
import { type Timed, timeAll, timedSingle } from './groth16-timed.ts';

const SUBJECT = 'groth16.verify-worldid4';

/** Loads our builds, and the peers if they are to be measured with this set. */
async function loadContenders(
  set: ProofSet,
  { budget, leaveOut }: SuiteContext,
  hasPeers: boolean,
): Promise<Groth16Contender[]> {
  const builds = await loadBuildsFor(budget);
  const present: Groth16Contender[] = [];
  for (const load of [...builds.map(contenderOf), ...(hasPeers ? loadPrograms : [])]) {
    const one = await load(set);
    if (isPresent(one)) present.push(one);
    else leaveOut(`${one.name}, World ID 4.0`, one.reason);
  }
  return present;
}

/**
 * Proofs of World ID 4.0 next to those of 3.0, in the same rounds: 15 public inputs against 4, as points, and compressed
 * as requests carry them. Peers take points only.
 */
export const groth16WorldId4: Suite = {
  name: 'worldid4',
  async run(context) {
    const { points, compressed } = loadWorldId4Sets();
    const builds = await loadBuildsFor(context.budget);
    const open: Groth16Contender[] = [];
    try {
      const timed: Timed[] = [];
      for (const set of [loadProofSet(), points, compressed]) {
        const contenders = await loadContenders(set, context, set === points);
        open.push(...contenders);
        const members = agreementMembers(set);
        await assertAgreement(contenders, members);
        for (const build of builds) assertMixedBatch(build, set);
        const { inputs, form = 'points' } = set.parameters;
        context.say(
          `${contenders.length} contenders agree on ${members.length} proofs, ${inputs} inputs, ${form}`,
        );
        timed.push(...contenders.map((contender) => timedSingle(contender, set)));
        timed.push(...timedBatches(builds, set, context.budget.batches));
      }
      return await timeAll(SUBJECT, timed, context);
    } finally {
      for (const contender of open) await contender.close();
    }
  },
};
