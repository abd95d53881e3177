import { randomBytes } from 'node:crypto';
import { assertAgreement, type Groth16Contender } from '../contenders/contender.ts';
import { loadMclPairing, loadMclWhole } from '../contenders/mcl-wasm.ts';
import { loadProofSet, type ProofSet } from '../contenders/proof-set.ts';
import { type Build, batchOf, contenderOf, loadBuilds } from '../contenders/proofgate.ts';
import { loadSnarkjs, loadSnarkjsOneThread } from '../contenders/snarkjs.ts';
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type Contestant, interleave } from './interleave.ts';

const SUBJECT = 'groth16.verify';
const SAMPLES_KEPT = 200;

/** Goes through the functions in turn, so that no proof is the only one. */
function inTurn<T>(functions: readonly (() => T)[]): () => T {
  let next = 0;
  return () => (functions[next++ % functions.length] as () => T)();
}

function singleContestant(contender: Groth16Contender, set: ProofSet): Contestant {
  const verifiers = contender.prepare(set.valid);
  return {
    name: contender.name,
    operations: 1,
    ...(contender.before ? { before: contender.before } : {}),
    run: inTurn(verifiers as (() => unknown)[]) as Contestant['run'],
  };
}

async function singles(builds: readonly Build[], set: ProofSet, context: SuiteContext): Promise<Case[]> {
  const loaders = [
    ...builds.map(contenderOf),
    loadMclPairing,
    loadMclWhole,
    loadSnarkjs,
    loadSnarkjsOneThread,
  ];
  const contenders: Groth16Contender[] = [];
  for (const load of loaders) contenders.push(await load(set));
  try {
    await assertAgreement(contenders, set);
    context.say(
      `${contenders.length} contenders agree on ${set.valid.length} true and ${set.invalid.length} false proofs`,
    );
    const samples = await interleave(
      contenders.map((contender) => singleContestant(contender, set)),
      context.budget,
    );
    return contenders.map((contender, index) => ({
      subject: SUBJECT,
      contender: contender.name,
      parameters: { inputs: 4, batch: 1 },
      unit: 'us_per_op',
      isPeer: contender.isPeer,
      samples: thin(samples[index] ?? [], SAMPLES_KEPT),
    }));
  } finally {
    for (const contender of contenders) await contender.close();
  }
}

/** The verdicts of one mixed batch must be those of the members. */
function assertBatch(build: Build, handle: number, set: ProofSet): void {
  const members = [...set.invalid, ...set.valid].slice(0, 64);
  const verdicts = build.module.verifyBatch(handle, batchOf(members), randomBytes(32));
  for (const [index, member] of members.entries()) {
    if ((verdicts[index] === 0) !== member.isTrue)
      throw new Error(`${build.name} gives verdict ${verdicts[index]} to proof ${index} of a batch`);
  }
}

async function batches(builds: readonly Build[], set: ProofSet, context: SuiteContext): Promise<Case[]> {
  const sizes = context.budget.batches.filter((size) => size > 1);
  const rows = builds.flatMap((build) => {
    build.before?.();
    const handle = build.module.prepareKey(set.key);
    assertBatch(build, handle, set);
    return sizes.map((size) => ({ build, handle, size }));
  });
  const contestants = rows.map(({ build, handle, size }): Contestant => {
    const starts = Array.from({ length: Math.floor(set.valid.length / size) }, (_, index) => index * size);
    const inputs = starts.map((start): Uint8Array => batchOf(set.valid.slice(start, start + size)));
    return {
      name: `${build.name} ${size}`,
      operations: size,
      ...(build.before ? { before: build.before } : {}),
      run: inTurn(
        inputs.map((bytes) => (): void => void build.module.verifyBatch(handle, bytes, randomBytes(32))),
      ),
    };
  });
  const samples = await interleave(contestants, context.budget);
  return rows.map(({ build, size }, index) => ({
    subject: SUBJECT,
    contender: build.name,
    parameters: { inputs: 4, batch: size },
    unit: 'us_per_op',
    isPeer: false,
    samples: thin(samples[index] ?? [], SAMPLES_KEPT),
  }));
}

/** Groth16 through the backends directly: single proofs against the peers, then batches. */
export const groth16Verify: Suite = {
  name: 'groth16',
  async run(context) {
    const set = loadProofSet();
    const builds = await loadBuilds();
    const single = await singles(builds, set, context);
    return [...single, ...(await batches(builds, set, context))];
  },
};
