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
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { assertMixedBatch, roundRobin, type Timed, timedBatches } from './groth16-batches.ts';
import { type Contestant, interleave } from './interleave.ts';

const SUBJECT = 'groth16.verify';
const SAMPLES_KEPT = 200;

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

function timedSingle(contender: Groth16Contender, set: ProofSet): Timed {
  const { name, isPeer, scope, before, measure, clock } = contender;
  const contestant: Contestant = {
    name,
    operations: 1,
    ...(before ? { before } : {}),
    ...(measure ? { measure } : {}),
    ...(clock ? { clock } : {}),
    run: roundRobin(contender.prepare(set.valid) as (() => unknown)[]) as Contestant['run'],
  };
  const note = isPeer ? { note: clock === 'wall' ? `${scope}; wall time` : scope } : {};
  return { contestant, parameters: { inputs: 4, batch: 1 }, contender: name, isPeer, ...note };
}

function assertDistinctNames(timed: readonly Timed[]): void {
  const names = timed.map(({ contestant }) => contestant.name);
  if (new Set(names).size !== names.length)
    throw new Error(`expected distinct names of contestants, got ${names.join(', ')}`);
}

/** Times all in the same rounds, so that batches are compared with peers measured next to them. */
async function timeAll(timed: readonly Timed[], { budget }: SuiteContext): Promise<Case[]> {
  assertDistinctNames(timed);
  const samples = await interleave(
    timed.map(({ contestant }) => contestant),
    budget,
  );
  return timed.map(({ contender, parameters, isPeer, note }, index) => ({
    subject: SUBJECT,
    contender,
    parameters,
    unit: 'us_per_op',
    isPeer,
    samples: thin(samples[index] ?? [], SAMPLES_KEPT),
    ...(note === undefined ? {} : { note }),
  }));
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
      return await timeAll(timed, context);
    } finally {
      for (const contender of present) await contender.close();
    }
  },
};
