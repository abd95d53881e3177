/**
 * The cross-check of all arithmetics over known-trapdoor proofs: cases in blocks, each made from a seed of its own, so
 * that a long run can be taken up where it was interrupted.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { CryptoModule } from './crypto-modules.ts';
import { type ProofCase, proofCases, type VerdictByte } from './proof-cases.ts';
import { referenceVerdict, snarkjsKey } from './reference-verdict.ts';
import type { Trapdoor } from './trapdoor.ts';

/** Cases of one block. */
export const BLOCK: number = 500;
// Around the lane counts 4 and 8, and what workers take at most; the last batch of a block is what is left.
const BATCH_SIZES = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128];

/** One implementation: the verdicts of cases that it is given together, undefined where it has none. */
export interface Subject {
  readonly name: string;
  /** Whether cases given together are checked in another way than one by one. */
  readonly isBatching: boolean;
  verify(cases: readonly ProofCase[]): Promise<readonly (number | undefined)[]>;
}

/** A difference from the verdict that a case has by construction, with all that makes it again. */
export interface Disagreement {
  readonly block: number;
  readonly subject: string;
  readonly batch: string;
  readonly name: string;
  readonly proof: string;
  readonly inputs: string;
  readonly expected: VerdictByte;
  readonly found: number | undefined;
}

/** How far a run has come. */
export interface Progress {
  readonly subjects: readonly string[];
  blocks: number;
  /** Verdicts compared, of all subjects. */
  verdicts: number;
  readonly disagreements: Disagreement[];
}

/** One of our builds. Its key keeps the arithmetic that is in place now. */
export function moduleSubject(name: string, module: CryptoModule, key: Trapdoor): Subject {
  const handle = module.prepareKey(key.key);
  return {
    name,
    isBatching: true,
    async verify(cases) {
      const batch = Buffer.concat(cases.flatMap(({ proof, inputs }) => [proof, inputs]));
      const random = randomBytes(32);
      // A quarter of the batches is not combined.
      const isCombined = (random[0] as number) % 4 > 0;
      return [...(isCombined ? module.verifyBatch(handle, batch, random) : module.verifyEach(handle, batch))];
    },
  };
}

/** snarkjs behind plain checks of the bytes. */
export function snarkjsSubject(key: Trapdoor): Subject {
  const json = snarkjsKey(key.key);
  return {
    name: 'snarkjs',
    isBatching: false,
    async verify(cases) {
      const verdicts: (number | undefined)[] = [];
      for (const { proof, inputs } of cases) verdicts.push(await referenceVerdict(json, proof, inputs));
      return verdicts;
    },
  };
}

type Batches = readonly (readonly [name: string, cases: readonly ProofCase[]])[];

/** The cases one by one, in batches of many sizes, the valid ones alone, and these with one false one among them. */
function batchesOf(cases: readonly ProofCase[], block: number): Batches {
  const batches: [string, readonly ProofCase[]][] = cases.map((one) => ['alone', [one]]);
  for (let [at, turn] = [0, block]; at < cases.length; turn += 1) {
    const batch = cases.slice(at, at + (BATCH_SIZES[turn % BATCH_SIZES.length] as number));
    batches.push([`from ${at}`, batch]);
    at += batch.length;
  }
  const valid = cases.filter(({ expected }) => expected === 1);
  const wrong = cases.filter(({ expected }) => expected === 2);
  const size = Math.min(valid.length, BATCH_SIZES[block % BATCH_SIZES.length] as number);
  batches.push(['valid ones', valid]);
  if (wrong.length > 0) {
    const place = (block * 7) % (size + 1);
    const one = wrong[block % wrong.length] as ProofCase;
    batches.push([
      `a false one at ${place} of valid ones`,
      [...valid.slice(0, place), one, ...valid.slice(place, size)],
    ]);
  }
  return batches;
}

async function checkBlock(
  subject: Subject,
  cases: readonly ProofCase[],
  block: number,
  progress: Progress,
): Promise<void> {
  const batches = batchesOf(cases, block);
  for (const [batch, members] of subject.isBatching ? batches : batches.slice(0, cases.length)) {
    const found = await subject.verify(members);
    for (const [at, { name, proof, inputs, expected }] of members.entries()) {
      const verdict = found[at];
      if (verdict === undefined && !subject.isBatching) continue;
      progress.verdicts += 1;
      if (verdict === expected) continue;
      const [proofHex, inputsHex] = [proof, inputs].map((bytes) => Buffer.from(bytes).toString('hex'));
      progress.disagreements.push({
        block,
        subject: subject.name,
        batch,
        name,
        proof: proofHex as string,
        inputs: inputsHex as string,
        expected,
        found: verdict,
      });
    }
  }
}

/** Reads the progress of a run of these subjects; a fresh one where the file does not exist. */
function readProgress(file: string | undefined, subjects: readonly string[]): Progress {
  const fresh: Progress = { subjects, blocks: 0, verdicts: 0, disagreements: [] };
  if (file === undefined || !existsSync(file)) return fresh;
  const found = JSON.parse(readFileSync(file, 'utf8')) as Progress;
  if (JSON.stringify(found.subjects) === JSON.stringify(subjects)) return found;
  throw new Error(`${file} is the progress of other subjects: ${found.subjects.join(', ')}`);
}

/**
 * Gives each case to each subject, alone and in batches.
 *
 * @param count - Cases of the whole run; blocks that `file` says are done count.
 * @param file - Where the progress is kept after each block, for a run that may be interrupted.
 */
export async function crossCheck(
  key: Trapdoor,
  subjects: readonly Subject[],
  count: number,
  file?: string,
): Promise<Progress> {
  const progress = readProgress(
    file,
    subjects.map(({ name }) => name),
  );
  for (let block = progress.blocks; block * BLOCK < count; block += 1) {
    const cases: ProofCase[] = [];
    const size = Math.min(BLOCK, count - block * BLOCK);
    for await (const one of proofCases(key, size, `cross-check/${block}`)) cases.push(one);
    for (const subject of subjects) await checkBlock(subject, cases, block, progress);
    // A block that is cut short by the end of the run is not one that a longer run could skip.
    if (size < BLOCK) break;
    progress.blocks = block + 1;
    if (file === undefined) continue;
    writeFileSync(`${file}.new`, `${JSON.stringify(progress, null, 1)}\n`);
    renameSync(`${file}.new`, file);
  }
  return progress;
}
