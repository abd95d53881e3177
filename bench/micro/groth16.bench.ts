import { type Build, contenderOf, loadBuilds } from '../contenders/builds.ts';
import {
  type AbsentContender,
  assertAgreement,
  type Groth16Contender,
  isPresent,
} from '../contenders/contender.ts';
import { loadMclPairing, loadMclWhole } from '../contenders/mcl-wasm.ts';
import { loadPrograms } from '../contenders/programs.ts';
import { agreementMembers, loadProofSet, type ProofSet } from '../contenders/proof-set.ts';
import { loadSnarkjs, loadSnarkjsOneThread } from '../contenders/snarkjs.ts';
import type { Suite } from '../suite.ts';
import { assertMixedBatch, timedBatches } from './groth16-batches.ts';
import { timeAll, timedSingle } from './groth16-timed.ts';

const SUBJECT = 'groth16.verify';

async function loadContenders(
  builds: readonly Build[],
  set: ProofSet,
): Promise<{ present: Groth16Contender[]; absent: AbsentContender[] }> {
  const loaders = [
    ...builds.map(contenderOf),
    ...loadPrograms,
    loadMclPairing,
    loadMclWhole,
    loadSnarkjs,
    loadSnarkjsOneThread,
  ];
  const [present, absent]: [Groth16Contender[], AbsentContender[]] = [[], []];
  for (const load of loaders) {
    const one = await load(set);
    if (isPresent(one)) present.push(one);
    else absent.push(one);
  }
  return { present, absent };
}

/** Groth16 by direct calls: single proofs and batches of every build, and the peers, in the same rounds. */
export const groth16: Suite = {
  name: 'groth16',
  async run(context) {
    const set = loadProofSet();
    const builds = await loadBuilds();
    const { present, absent } = await loadContenders(builds.present, set);
    try {
      const members = agreementMembers(set);
      await assertAgreement(present, members);
      for (const build of builds.present) assertMixedBatch(build, set);
      context.say(`${present.length} contenders agree on ${members.length} true, false and malformed proofs`);
      for (const { name, reason } of [...builds.absent, ...absent]) context.leaveOut(name, reason);
      const timed = [
        ...present.map((contender) => timedSingle(contender, set)),
        ...timedBatches(builds.present, set, context.budget.batches),
      ];
      return await timeAll(SUBJECT, timed, context);
    } finally {
      for (const contender of present) await contender.close();
    }
  },
};
