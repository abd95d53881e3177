/** A true statement of three public signals in the form of snarkjs (test/vectors/snarkjs/linear.json), and changed ones. */
import { readFileSync } from 'node:fs';
import { P } from '../crypto/bn254.ts';

/** A point as snarkjs writes it: x, y, z. */
export type TextG1 = readonly [string, string, string];
/** A point of the twist as snarkjs writes it: x, y, z, each c0 then c1. */
export type TextG2 = readonly [TextPair, TextPair, TextPair];
type TextPair = readonly [string, string];

/** A key as snarkjs writes it. */
export interface TextKey {
  readonly protocol: string;
  readonly curve: string;
  readonly nPublic: number;
  readonly vk_alpha_1: TextG1;
  readonly vk_beta_2: TextG2;
  readonly vk_gamma_2: TextG2;
  readonly vk_delta_2: TextG2;
  readonly IC: readonly TextG1[];
}

/** A proof as snarkjs writes it. */
export interface TextProof {
  readonly pi_a: TextG1;
  readonly pi_b: TextG2;
  readonly pi_c: TextG1;
  readonly protocol: string;
  readonly curve: string;
}

/** A proof with its public signals in decimal. */
export interface TextStatement {
  readonly proof: TextProof;
  readonly publicSignals: readonly string[];
}

interface Circuit {
  readonly inputs: number;
  readonly key: TextKey;
  readonly proofs: readonly TextStatement[];
}

const CIRCUITS = JSON.parse(
  readFileSync(new URL('../../vectors/snarkjs/linear.json', import.meta.url), 'utf8'),
) as Circuit[];

const INPUTS = 3;
const circuit = CIRCUITS.find(({ inputs }) => inputs === INPUTS) as Circuit;

/** A key of three public inputs. */
export const KEY: TextKey = circuit.key;
/** A statement that holds under it. */
export const TRUE_STATEMENT: TextStatement = circuit.proofs[2] as TextStatement;
/** Another one. */
export const OTHER_STATEMENT: TextStatement = circuit.proofs[1] as TextStatement;
/** A key of another circuit. */
export const OTHER_KEY: TextKey = (CIRCUITS.find(({ inputs }) => inputs === 2) as Circuit).key;

/** The statement with another first signal. */
export const CHANGED_SIGNAL: TextStatement = {
  proof: TRUE_STATEMENT.proof,
  publicSignals: TRUE_STATEMENT.publicSignals.map((text, index) =>
    index === 0 ? String(BigInt(text) - 1n) : text,
  ),
};

const [cx, cy, cz] = TRUE_STATEMENT.proof.pi_c;

/** The statement with one other number in its proof, that of −C, which is on the curve. */
export const CHANGED_PROOF: TextStatement = {
  proof: { ...TRUE_STATEMENT.proof, pi_c: [cx, String(P - BigInt(cy)), cz] },
  publicSignals: TRUE_STATEMENT.publicSignals,
};
