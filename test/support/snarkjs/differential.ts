/**
 * Compares `groth16.verify` of `proofgate/snarkjs` with that of snarkjs on cases drawn from a seed: valid, false and
 * malformed ones in the forms of snarkjs. Each class of cases has the answer of ours and those that snarkjs may give, so
 * that a difference which is not listed is a disagreement.
 */
import { groth16 } from 'snarkjs';
import { createSnarkjs, type SnarkjsGroth16 } from '../../../src/library/facade/snarkjs-verify.ts';
import { createEngine, type EngineOptions } from '../../../src/library/index.ts';
import { R } from '../crypto/bn254.ts';
import { multiplyTwist, type TwistPoint, twistPointAt } from '../crypto/curve-reference.ts';
import { scalarStream } from '../crypto/trapdoor.ts';
import {
  another,
  circuitStatements,
  degenerateStatements,
  foreignStatements,
  forgeableBases,
  trapdoorBases,
} from './bases.ts';
import { DIFFERENT_CLASSES } from './classes-different.ts';
import { PLAIN_CLASSES, SAME_CLASSES } from './classes-same.ts';
import { type Answer, type CaseClass, type Draft, type Pool, pick } from './draft.ts';

/** An implementation of `groth16.verify`. */
export interface Subject {
  readonly name: string;
  readonly verify: (key: unknown, signals: unknown, proof: unknown) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A case whose answers are not those of its class. */
export interface Disagreement {
  readonly index: number;
  readonly class: string;
  /** Answers by implementation. */
  readonly answers: Readonly<Record<string, string>>;
  readonly expected: Pick<CaseClass, 'ours' | 'snarkjs'>;
}

/** Counts of a run. */
export interface Counts {
  cases: number;
  /** Cases in which every implementation gave the same answer. */
  agreements: number;
  /** Cases by class and answers, as in `snarkjs true, ours false`, where they differ as listed. */
  readonly differences: Record<string, Record<string, number>>;
  readonly disagreements: Disagreement[];
}

const ALL_CLASSES: readonly CaseClass[] = [...SAME_CLASSES, ...DIFFERENT_CLASSES];

/** Names of the classes in which the answers always differ. */
export const DIFFERING: readonly string[] = DIFFERENT_CLASSES.filter(
  ({ ours, snarkjs }) => !snarkjs.includes(ours),
).map(({ name }) => name);

let pool: Promise<Pool> | undefined;

async function makePool(): Promise<Pool> {
  return {
    statements: [...circuitStatements(), ...(await foreignStatements())],
    trapdoors: await trapdoorBases(),
    forgeable: await forgeableBases(),
    degenerate: await degenerateStatements(),
    outsiders: [4n, 7n, 11n]
      .map((x) => twistPointAt([x, 5n]))
      .flatMap((point) => [point, multiplyTwist(point, R)])
      .filter((point): point is NonNullable<TwistPoint> => point !== undefined)
      .map(({ x, y }) => [x.map(String), y.map(String), ['1', '0']]),
  };
}

/** Makes the case with an index; the same index has the same case in every run. */
export async function caseAt(index: number): Promise<{ readonly of: CaseClass; readonly draft: Draft }> {
  pool ??= makePool();
  const loaded = await pool;
  const next = scalarStream(`snarkjs differential/${index}`);
  const half = Math.floor(index / 2);
  const list = index % 2 === 0 ? PLAIN_CLASSES : ALL_CLASSES;
  const of = list[half % list.length] as CaseClass;
  const first = { next, pool: loaded } as Draft;
  const statement = pick(first, loaded.statements);
  // One in eight is the proof of the prover.
  const proof = next() % 8n === 0n ? statement.proof : await another(statement, next(), next());
  const { key, signals } = statement;
  const draft: Draft = { ...first, ...structuredClone({ key, signals: [...signals], proof }) };
  of.change(draft);
  return { of, draft };
}

/** Starts `proofgate/snarkjs` on a backend, as the entry does. */
export function oursOn(name: string, options: EngineOptions): Subject {
  const { groth16: mine, terminate } = createSnarkjs((own) => createEngine({ ...own, ...options }), 64);
  return { name, verify: mine.verify as Subject['verify'], close: terminate };
}

/** snarkjs 0.7.6. */
export const theirs: Subject = {
  name: 'snarkjs',
  verify: groth16.verify as unknown as SnarkjsGroth16['verify'] as Subject['verify'],
  async close() {
    const { curve_bn128, curve_bls12381 } = globalThis as Record<string, unknown> as Record<
      'curve_bn128' | 'curve_bls12381',
      { terminate(): Promise<void> } | null | undefined
    >;
    await curve_bn128?.terminate();
    await curve_bls12381?.terminate();
  },
};

async function answerOf({ verify }: Subject, { key, signals, proof }: Draft): Promise<Answer> {
  try {
    const answer = await verify(key, signals, proof);
    if (typeof answer !== 'boolean') throw new Error(`expected a boolean, got ${typeof answer}`);
    return answer ? 'true' : 'false';
  } catch {
    return 'rejects';
  }
}

/** Runs cases from an index to another, exclusive, through snarkjs and `ours`, and adds to the counts. */
export async function compare(
  ours: readonly Subject[],
  from: number,
  to: number,
  counts: Counts = { cases: 0, agreements: 0, differences: {}, disagreements: [] },
): Promise<Counts> {
  for (let index = from; index < to; index++) {
    const { of, draft } = await caseAt(index);
    const [reference, ...found] = await Promise.all([theirs, ...ours].map((one) => answerOf(one, draft)));
    counts.cases += 1;
    const isExpected =
      of.snarkjs.includes(reference as Answer) && found.every((answer) => answer === of.ours);
    if (!isExpected) {
      const names = ['snarkjs', ...ours.map(({ name }) => name)];
      const answers = Object.fromEntries([reference, ...found].map((answer, at) => [names[at], `${answer}`]));
      counts.disagreements.push({
        index,
        class: of.name,
        answers,
        expected: { ours: of.ours, snarkjs: of.snarkjs },
      });
    } else if (reference === of.ours) counts.agreements += 1;
    else {
      counts.differences[of.name] ??= {};
      const byAnswers = counts.differences[of.name] as Record<string, number>;
      const answers = `snarkjs ${reference}, ours ${of.ours}`;
      byAnswers[answers] = (byAnswers[answers] ?? 0) + 1;
    }
  }
  return counts;
}
