import { answerOf, type Build, batchOf, loadBuildsFor, prepareBuild } from '../contenders/builds.ts';
import { loadProofSet, type ProofMember, type ProofSet } from '../contenders/proof-set.ts';
import { COST_OF_BAD } from '../report/cost-of-bad.ts';
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite } from '../suite.ts';
import { compressProof } from '../support/compress-proof.ts';
import { batchesWithBad } from './groth16-batches.ts';
import { type Contestant, interleave } from './interleave.ts';

const SIZE = 64;
const SHARES = [0, 1, 10, 50, 100] as const;
const SAMPLES_KEPT = 200;

interface Row {
  readonly case: Omit<Case, 'samples'>;
  readonly contestant: Contestant;
}

const withoutPoint =
  (start: number, end: number) =>
  (member: ProofMember): ProofMember => ({
    ...member,
    proof: Uint8Array.from(member.proof).fill(0, start, end),
  });

function compressed(member: ProofMember): ProofMember {
  const proof = new Uint8Array(member.proof.length);
  proof.set(Buffer.concat(compressProof(member.proof)));
  return { ...member, proof };
}

/** Batches of one kind each: what they are, and their members. */
function kinds({ valid, invalid, refused }: ProofSet): ReadonlyMap<string, readonly ProofMember[]> {
  const only = (kind: string): ProofMember[] => {
    const member = refused.find((one) => one.kind === kind);
    if (!member) throw new Error(`expected a refused member of the kind '${kind}'`);
    return valid.map(() => member);
  };
  const outside = only('B outside the subgroup');
  return new Map([
    ['valid', valid],
    ['valid, compressed', valid.map(compressed)],
    ['false', invalid],
    ['false, compressed', invalid.map(compressed)],
    ['A at infinity', invalid.map(withoutPoint(0, 64))],
    ['B at infinity', invalid.map(withoutPoint(64, 192))],
    ['C at infinity', invalid.map(withoutPoint(192, 256))],
    ['A, B and C at infinity', invalid.map(withoutPoint(0, 256))],
    ['B outside the subgroup', outside],
    [
      'one in sixteen outside, others false',
      invalid.map((one, i) => (i % 16 === 0 ? (outside[i] ?? one) : one)),
    ],
    ['half false', valid.map((one, i) => (i % 2 === 0 ? (invalid[i] ?? one) : one))],
    ...['input above r', 'coordinate above p', 'A off the curve'].map((kind) => [kind, only(kind)] as const),
  ]);
}

function shareRows(build: Build, set: ProofSet): Row[] {
  const { verify } = prepareBuild(build, set.key);
  return SHARES.map((percent) => {
    const batches = batchesWithBad(set, percent, SIZE);
    const bad = batches.map(
      (bytes) => [...verify(bytes)].filter((verdict) => answerOf(verdict) === false).length,
    );
    const right = [Math.floor((SIZE * percent) / 100), Math.ceil((SIZE * percent) / 100)];
    if (bad.join() !== right.join())
      throw new Error(`${build.name}: expected ${right} bad proofs at ${percent} %, found ${bad}`);
    return row(build, 'groth16.verify-bad', { bad_percent: percent }, SIZE * batches.length, () => {
      for (const bytes of batches) verify(bytes);
    });
  });
}

function kindRows(build: Build, set: ProofSet): Row[] {
  const { verify, verifyEach } = prepareBuild(build, set.key);
  return [...kinds(set)].flatMap(([members, list]) => {
    const bytes = batchOf(list);
    const [combined, singly] = [verify(bytes), verifyEach(bytes)].map((verdicts) => verdicts.join());
    if (combined !== singly) throw new Error(`${build.name}: verdicts differ for '${members}'`);
    return [
      row(build, COST_OF_BAD, { members, check: 'combined' }, SIZE, () => void verify(bytes)),
      row(build, COST_OF_BAD, { members, check: 'singly' }, SIZE, () => void verifyEach(bytes)),
    ];
  });
}

function row(
  build: Build,
  subject: string,
  parameters: Case['parameters'],
  operations: number,
  run: () => void,
): Row {
  const before = build.before ? { before: build.before } : {};
  const all = { inputs: 4, batch: SIZE, ...parameters };
  return {
    case: { subject, contender: build.name, parameters: all, unit: 'us_per_op', isPeer: false },
    contestant: {
      name: [build.name, subject, ...Object.values(parameters)].join(' '),
      operations,
      ...before,
      run,
    },
  };
}

/**
 * Batches of 64 with a share of false proofs that pass every cheap check, and batches of one kind of bad proof: the
 * cost of an attack.
 */
export const groth16Bad: Suite = {
  name: 'bad-share',
  async run({ budget, say }) {
    const set = loadProofSet();
    const builds = await loadBuildsFor(budget);
    const rows = builds.flatMap((build) => [...shareRows(build, set), ...kindRows(build, set)]);
    say(`${builds.length} builds find the bad proofs of every share and agree on every kind`);
    const samples = await interleave(
      rows.map(({ contestant }) => contestant),
      budget,
    );
    return rows.map((one, index) => ({ ...one.case, samples: thin(samples[index] ?? [], SAMPLES_KEPT) }));
  },
};
