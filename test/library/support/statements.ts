/** Statements in the forms of snarkjs, as JSON, so that a page or another runtime can check them. */
import { OUTSIDE_G2 } from '../../../src/engine/self-test/vectors.ts';
import { FIELD_ORDER } from '../../../src/groth16/layout.ts';
import type { SnarkjsProofForm } from '../../../src/groth16/proof.ts';
import { SCALAR_ORDER } from '../../../src/semaphore/words.ts';
import { PROOFS } from '../../engine/support/vectors.ts';
import { decimals, snarkjsProof } from './semaphore-statement.ts';

/** Path of a WASM module of the package. */
export function wasmFile(name: 'relaxed' | 'simd' | 'scalar'): URL {
  return new URL(`../../../wasm/artifact/${name}.wasm`, import.meta.url);
}

/** A statement with the code of its verdict; `valid` for one that holds. */
export interface StatementCase {
  readonly name: string;
  readonly proof: unknown;
  readonly publicSignals: readonly string[];
  readonly expected: string;
  /** Whether the verification rejects with that code instead. */
  readonly rejects?: true;
}

/** Statements that hold, in the forms of snarkjs. */
export const TRUE_STATEMENTS: readonly {
  readonly proof: SnarkjsProofForm;
  readonly publicSignals: string[];
}[] = PROOFS.filter(({ depth }) => depth === 30).map(({ proof, inputs }) => ({
  proof: snarkjsProof(proof),
  publicSignals: decimals(inputs),
}));

function cases(): StatementCase[] {
  const [first, second] = TRUE_STATEMENTS;
  if (!first || !second) throw new Error('the vectors have no two proofs of depth 30');
  const { proof, publicSignals } = first;
  const [, outsideX0, , outsideY0] = decimals(OUTSIDE_G2);
  const [outsideX1, , outsideY1] = decimals(OUTSIDE_G2);
  const changedSignal = [...publicSignals.slice(0, 3), String(BigInt(publicSignals[3] as string) ^ 1n)];
  const proofs = (changed: Partial<Record<keyof SnarkjsProofForm, unknown>>): object => ({
    ...proof,
    ...changed,
  });
  return [
    { name: 'a proof', ...first, expected: 'valid' },
    { name: 'another proof', ...second, expected: 'valid' },
    { name: 'another public signal', proof, publicSignals: changedSignal, expected: 'proof.false' },
    { name: 'the proof of another statement', ...second, publicSignals, expected: 'proof.false' },
    {
      name: 'A off its curve',
      proof: proofs({ pi_a: [proof.pi_a[0], proof.pi_a[0], '1'] }),
      publicSignals,
      expected: 'proof.point_not_on_curve',
    },
    {
      name: 'B outside the subgroup',
      proof: proofs({
        pi_b: [
          [outsideX0, outsideX1],
          [outsideY0, outsideY1],
          ['1', '0'],
        ],
      }),
      publicSignals,
      expected: 'proof.point_not_in_subgroup',
    },
    {
      name: 'a coordinate above p',
      proof: proofs({ pi_c: [String(FIELD_ORDER), '2', '1'] }),
      publicSignals,
      expected: 'proof.coordinate_range',
    },
    {
      name: 'a public signal above r',
      proof,
      publicSignals: [...publicSignals.slice(0, 3), String(SCALAR_ORDER)],
      expected: 'input.range',
    },
    { name: 'too few public signals', proof, publicSignals: publicSignals.slice(1), expected: 'input.count' },
    {
      name: 'hex digits without 0x',
      proof: proofs({ pi_a: ['f1', '2', '1'] }),
      publicSignals,
      expected: 'proof.form',
    },
    { name: 'another curve', proof: proofs({ curve: 'bls12381' }), publicSignals, expected: 'proof.form' },
    { name: 'no C', proof: proofs({ pi_c: null }), publicSignals, expected: 'proof.form', rejects: true },
    { name: 'no proof', proof: null, publicSignals, expected: 'proof.form', rejects: true },
  ];
}

/** True, false and malformed statements. */
export const CASES: readonly StatementCase[] = cases();

interface Verifier {
  verify(
    keyId: string,
    proof: never,
    publicSignals: readonly string[],
  ): Promise<{ readonly valid: boolean; readonly code?: string | undefined }>;
}

/**
 * Returns what an engine answers to each case, as in `expected`; an error is its code with `!`. Runs in pages and other
 * runtimes by its text, so it uses nothing of this module.
 */
export async function answersOf(
  engine: Verifier,
  statements: readonly Pick<StatementCase, 'proof' | 'publicSignals'>[],
): Promise<string[]> {
  return await Promise.all(
    statements.map(({ proof, publicSignals }) =>
      engine.verify('key', proof as never, publicSignals).then(
        ({ valid, code }) => (valid ? 'valid' : String(code)),
        (error: { readonly code?: unknown }) => `${String(error.code)}!`,
      ),
    ),
  );
}

/** Answers that `answersOf` must return for `CASES`. */
export const EXPECTED_ANSWERS: readonly string[] = CASES.map(({ expected, rejects }) =>
  rejects ? `${expected}!` : expected,
);
