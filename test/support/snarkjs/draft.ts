/** What a class of cases changes, and functions that change it. */
import { P, R } from '../crypto/bn254.ts';
import type { ForgeableBase, Statement, TrapdoorBase } from './bases.ts';
import type { KeyJson, ProofJson } from './json.ts';

/** What a call of `groth16.verify` comes to. */
export type Answer = 'true' | 'false' | 'rejects';

/** Statements of all kinds. */
export interface Pool {
  readonly statements: readonly Statement[];
  readonly trapdoors: readonly TrapdoorBase[];
  readonly forgeable: readonly ForgeableBase[];
  readonly degenerate: readonly Statement[];
  /** Points of the twist outside G2, as coordinates of snarkjs. */
  readonly outsiders: readonly (readonly string[][])[];
}

/** A valid proof with its key and signals, copies that a class changes. */
export interface Draft {
  key: KeyJson;
  signals: string[];
  proof: ProofJson;
  readonly pool: Pool;
  /** Next scalar from 1 to r − 1. */
  readonly next: () => bigint;
}

/** One class: how a case is made, and the answers. A class with two answers of ours does not exist. */
export interface CaseClass {
  readonly name: string;
  readonly ours: Answer;
  /** Answers that snarkjs may give. A difference if it is not just `ours`. */
  readonly snarkjs: readonly Answer[];
  readonly change: (draft: Draft) => void;
}

/** A change of numbers, whatever they become. */
export type Spelling = (value: string) => unknown;

/** Makes a class in which both answer the same. */
export function same(name: string, answer: Answer, change: CaseClass['change']): CaseClass {
  return { name, ours: answer, snarkjs: [answer], change };
}

/** Makes a class in which snarkjs may answer otherwise. */
export function differs(
  name: string,
  ours: Answer,
  snarkjs: readonly Answer[],
  change: CaseClass['change'],
): CaseClass {
  return { name, ours, snarkjs, change };
}

/** Draws one of a list. */
export function pick<T>({ next }: Draft, list: readonly T[]): T {
  return list[Number(next() % BigInt(list.length))] as T;
}

/** Draws a whole number below a bound. */
export function below({ next }: Draft, bound: number): number {
  return Number(next() % BigInt(bound));
}

/** Spells every number of a proof, third coordinates included. */
export function spellProof(draft: Draft, spelling: Spelling): void {
  const { pi_a, pi_b, pi_c } = draft.proof;
  Object.assign(draft.proof, {
    pi_a: pi_a.map(spelling),
    pi_b: pi_b.map((pair) => pair.map(spelling)),
    pi_c: pi_c.map(spelling),
  });
}

/** Spells every number of a key. */
export function spellKey(draft: Draft, spelling: Spelling): void {
  const { key } = draft;
  for (const [name, member] of Object.entries(key)) {
    if (name === 'vk_alpha_1') Object.assign(key, { [name]: key.vk_alpha_1.map(spelling) });
    else if (name === 'IC' || (name.startsWith('vk_') && !name.startsWith('vk_alphabeta')))
      Object.assign(key, { [name]: (member as string[][]).map((point) => point.map(spelling)) });
  }
}

/** Spells one of the eight coordinates of a proof, drawn at random. */
export function spellCoordinate(draft: Draft, spelling: Spelling): void {
  const { pi_a, pi_b, pi_c } = draft.proof;
  const [point, at] = pick(draft, [
    ...[pi_a, pi_c].flatMap((place) => [0, 1].map((index) => [place, index] as const)),
    ...pi_b.slice(0, 2).flatMap((place) => [0, 1].map((index) => [place, index] as const)),
  ]);
  point[at] = spelling(point[at] as string) as string;
}

/** Spells one of the signals, drawn at random. */
export function spellSignal(draft: Draft, spelling: Spelling): void {
  const at = below(draft, draft.signals.length);
  draft.signals[at] = spelling(draft.signals[at] as string) as string;
}

/** Replaces the statement by a valid one with a known trapdoor; `inputs` changes the signals before the proof. */
export function useTrapdoor(
  draft: Draft,
  change: (inputs: bigint[]) => void = () => undefined,
  scalars: (base: TrapdoorBase, inputs: readonly bigint[]) => [a: bigint, b: bigint] = () => [
    draft.next(),
    draft.next(),
  ],
): void {
  const base = pick(draft, draft.pool.trapdoors);
  const inputs = Array.from({ length: base.inputCount }, () => draft.next());
  change(inputs);
  draft.key = structuredClone(base.key);
  draft.signals = inputs.map(String);
  draft.proof = base.prove(inputs, ...scalars(base, inputs));
}

/** Replaces the statement by another, unchanged. */
export function useStatement(draft: Draft, { key, signals, proof }: Statement): void {
  Object.assign(draft, structuredClone({ key, signals, proof }));
}

/** Negates a decimal coordinate modulo p. */
export const negated: Spelling = (value) => `${(P - BigInt(value)) % P}`;
/** Writes a number as `0x` and hex digits. */
export const asHex: Spelling = (value) => `0x${BigInt(value).toString(16)}`;
/** Returns a spelling that adds a multiple of a modulus. */
export const plus =
  (modulus: bigint): Spelling =>
  (value) =>
    `${BigInt(value) + modulus}`;
/** Adds one modulo r. */
export const plusOne: Spelling = (value) => `${(BigInt(value) + 1n) % R}`;
