import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../semaphore/hex.ts';
import { isBelowScalarOrder, numberOf } from '../../semaphore/words.ts';
import { FormError, PROOF_BYTES, WORD_BYTES } from '../layout.ts';
import { type BytesForm, bytesOfForm, membersOf, scalarOfForm, wordOfForm } from './bytes-form.ts';
import { SP1_VERSIONS, type Sp1Version, selectorName } from './versions.ts';

const SELECTOR_BYTES = 4;
/** Bytes between the selector and the proof from v6 on: exit code, recursion root and nonce. */
const V6_HEAD_BYTES = 3 * WORD_BYTES;

/** The parts of the bytes that SP1 gives as a proof. */
export interface Sp1Proof {
  /** `0x` and eight lower-case digits. */
  readonly selector: string;
  /** A, B and C: 256 bytes, as EIP-197 orders them. */
  readonly proof: Uint8Array;
  /** From v6 on; undefined before. */
  readonly head?: { readonly exitCode: bigint; readonly vkRoot: bigint; readonly nonce: bigint };
}

/**
 * Splits `proof.bytes()` of SP1: selector ‖ 256 bytes up to v5; selector ‖ exit code ‖ recursion root ‖ nonce ‖
 * 256 bytes from v6 on (succinctlabs/sp1-contracts, contracts/src/v5.0.0 and v6.1.0, SP1VerifierGroth16.sol).
 *
 * @throws FormError `proof.form`, `proof.length`
 */
export function splitSp1Proof(form: BytesForm): Sp1Proof {
  const bytes = bytesOfForm(form, 'proof', 'proof.form');
  const selector = toHex(bytes.subarray(0, SELECTOR_BYTES));
  const rest = bytes.subarray(SELECTOR_BYTES);
  if (rest.length === PROOF_BYTES) return { selector, proof: rest };
  if (rest.length === V6_HEAD_BYTES + PROOF_BYTES) {
    return {
      selector,
      proof: rest.subarray(V6_HEAD_BYTES),
      head: { exitCode: headWord(rest, 0), vkRoot: headWord(rest, 1), nonce: headWord(rest, 2) },
    };
  }
  const name = bytes.length > SELECTOR_BYTES ? selectorName(selector) : undefined;
  // SP1ProofWithPublicValues::bytes of a mock proof (succinctlabs/sp1, crates/sdk/src/proof.rs).
  const what = bytes.length === 0 ? ' (a mock proof, which proves nothing)' : '';
  const got = `got ${bytes.length} bytes${name === undefined ? what : ` with the selector of ${name}`}`;
  throw new FormError(
    'proof.length',
    'proof',
    `expected the 260 bytes (up to v5) or 356 bytes (from v6) of proof.bytes(), ${got}`,
  );
}

function headWord(rest: Uint8Array, index: number): bigint {
  const word = rest.subarray(index * WORD_BYTES, (index + 1) * WORD_BYTES);
  if (!isBelowScalarOrder(word))
    throw new FormError('proof.form', 'proof', `word ${index} after the selector is not below r`);
  return numberOf(word);
}

/** What a user of SP1 has, and the program and values that the proof must be for. */
export type Sp1Statement = {
  /** `vk.bytes32()` of the program that must have run. */
  readonly vkeyHash: BytesForm;
  /** `proof.bytes()` with its selector. */
  readonly proof: BytesForm;
  /** Recursion root of a release from v6 on whose selector is not among `SP1_VERSIONS`; ignored for the others. */
  readonly vkRoot?: BytesForm;
} & (
  | {
      /** `proof.public_values`: the bytes that the program committed, of any length. */
      readonly publicValues: BytesForm;
    }
  | {
      /** Hash of the public values (32 bytes), for a program that hashes them with BLAKE3. */
      readonly publicValuesDigest: BytesForm;
    }
);

/**
 * Builds the public signals of a Groth16 proof of SP1: hash of the program's key, SHA-256 of the public values without
 * its top three bits, and from v6 on exit code 0, recursion root and nonce. The root is that of the release, never the
 * one of the proof; the nonce is the proof's.
 *
 * @throws FormError `input.form`, `input.range`, `proof.form`, `proof.length`
 * @see succinctlabs/sp1, crates/verifier/src/groth16/mod.rs
 */
export function sp1Signals(statement: Sp1Statement): bigint[] {
  const { vkeyHash, publicValues, publicValuesDigest, proof, vkRoot } = membersOf(
    statement,
    'vkeyHash and proof',
  );
  const { selector, head } = splitSp1Proof(proof as BytesForm);
  const version = SP1_VERSIONS.find((row) => row.selector === selector);
  const name = selectorName(selector);
  if (version === undefined && name !== undefined)
    throw new FormError(
      'proof.form',
      'proof',
      `this selector is that of ${name}, not of an SP1 Groth16 proof`,
    );
  if (version !== undefined && (version.vkRoot === undefined) !== (head === undefined)) {
    const [expected, got] = head === undefined ? [356, 260] : [260, 356];
    throw new FormError('proof.length', 'proof', `expected ${expected} bytes of ${version.name}, got ${got}`);
  }
  return [
    scalarOfForm(vkeyHash, 'vkeyHash'),
    publicValuesSignal(publicValues, publicValuesDigest),
    ...(head === undefined ? [] : headSignals(head, selector, version, vkRoot)),
  ];
}

/** Checks the head against what it must be; a root that the caller passes counts for unknown releases only. */
function headSignals(
  head: NonNullable<Sp1Proof['head']>,
  selector: string,
  version: Sp1Version | undefined,
  passed: unknown,
): bigint[] {
  const expected = version?.vkRoot ?? passed;
  if (expected === undefined)
    throw new FormError('proof.form', 'proof', `unknown selector ${selector}: pass vkRoot of that release`);
  const vkRoot = scalarOfForm(expected, 'vkRoot');
  if (head.vkRoot !== vkRoot)
    throw new FormError(
      'proof.form',
      'proof',
      `its recursion root is not that of ${version?.name ?? 'vkRoot'}`,
    );
  if (head.exitCode !== 0n)
    throw new FormError(
      'proof.form',
      'proof',
      `the program ended with exit code ${head.exitCode}, expected 0`,
    );
  return [0n, vkRoot, head.nonce];
}

function publicValuesSignal(values: unknown, valuesDigest: unknown): bigint {
  if ((values === undefined) === (valuesDigest === undefined))
    throw new FormError(
      'input.form',
      'publicValues',
      'expected either publicValues or publicValuesDigest',
      true,
    );
  const digest =
    values === undefined
      ? wordOfForm(valuesDigest, 'publicValuesDigest')
      : sha256(bytesOfForm(values, 'publicValues'));
  digest[0] = (digest[0] ?? 0) & 0x1f;
  return numberOf(digest);
}
