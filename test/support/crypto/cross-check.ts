/**
 * Cross-check of all arithmetics with known-trapdoor proofs. Cases come in blocks, each made from its own
 * seed, so that a long run can resume after an interruption.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { CryptoModule } from './crypto-modules.ts';
import { type ProofCase, proofCases, type VerdictByte } from './proof-cases.ts';
import { referenceVerdict, snarkjsKey } from './reference-verdict.ts';
import type { Trapdoor } from './trapdoor.ts';

/** Number of cases in a block. */
export const BLOCK: number = 500;
// Sizes around the lane counts 4 and 8 and the largest batch of a worker; the last batch of a block has the
// rest.
const BATCH_SIZES = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128];

/** An implementation that verifies cases together; a verdict is undefined if it has none. */
export interface Subject {
  readonly name: string;
  /** Whether it checks several cases differently from single ones. */
  readonly isBatching: boolean;
  verify(cases: readonly ProofCase[]): Promise<readonly (number | undefined)[]>;
}

/** A difference from the verdict that a case has by construction, with everything needed to reproduce it. */
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

/** State of a run. */
export interface Progress {
  readonly subjects: readonly string[];
  /** Public inputs of the key. */
  readonly inputs: number;
  blocks: number;
  /** Number of verdicts compared, over all subjects. */
  verdicts: number;
  readonly disagreements: Disagreement[];
}

/** A subject for a build of this repository. Its key keeps the arithmetic that is selected now. */
export function moduleSubject(name: string, module: CryptoModule, key: Trapdoor): Subject {
  const handle = module.prepareKey(key.key);
  return {
    name,
    isBatching: true,
    async verify(cases) {
      const batch = Buffer.concat(cases.flatMap(({ proof, inputs }) => [proof, inputs]));
      const random = randomBytes(32);
      // verifies a quarter of the batches separately
      const isCombined = (random[0] as number) % 4 > 0;
      return [...(isCombined ? module.verifyBatch(handle, batch, random) : module.verifyEach(handle, batch))];
    },
  };
}

/** snarkjs, after plain checks of the bytes. */
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

/** The cases alone, in batches of many sizes, only the valid ones, and valid ones with one false case. */
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

/** Reads the progress of a run of these subjects and inputs. Returns empty progress if the file does not exist. */
function readProgress(file: string | undefined, subjects: readonly string[], inputs: number): Progress {
  const fresh: Progress = { subjects, inputs, blocks: 0, verdicts: 0, disagreements: [] };
  if (file === undefined || !existsSync(file)) return fresh;
  const saved = JSON.parse(readFileSync(file, 'utf8')) as Progress;
  const isSame = JSON.stringify(saved.subjects) === JSON.stringify(subjects) && saved.inputs === inputs;
  if (isSame) return saved;
  const found = `${saved.subjects.join(', ')}, ${saved.inputs} inputs`;
  throw new Error(`${file} is the progress of other subjects: ${found}`);
}

/**
 * Checks each case with each subject, alone and in batches.
 *
 * @param count - Number of cases of the whole run, including the blocks that `file` records as done.
 * @param file - Path of the progress, written after each block so that the run can resume.
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
    key.inputCount,
  );
  for (let block = progress.blocks; block * BLOCK < count; block += 1) {
    const cases: ProofCase[] = [];
    const size = Math.min(BLOCK, count - block * BLOCK);
    for await (const one of proofCases(key, size, `cross-check/${block}`)) cases.push(one);
    for (const subject of subjects) await checkBlock(subject, cases, block, progress);
    // a longer run cannot skip an incomplete block
    if (size < BLOCK) break;
    progress.blocks = block + 1;
    if (file === undefined) continue;
    writeFileSync(`${file}.new`, `${JSON.stringify(progress, null, 1)}\n`);
    renameSync(`${file}.new`, file);
  }
  return progress;
}
