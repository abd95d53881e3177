import { sha256 } from '@noble/hashes/sha2.js';
import { encodeUtf8, joinBytes } from '../../bytes.ts';
import { toHex } from '../../semaphore/hex.ts';
import { numberOf } from '../../semaphore/words.ts';
import { FormError, PROOF_BYTES } from '../layout.ts';
import { type BytesForm, bytesOfForm, membersOf, scalarOfForm, wordOfForm } from './bytes-form.ts';
import { RISC0_VERSIONS, selectorName } from './versions.ts';

const SELECTOR_BYTES = 4;

/** What the proof must claim: a whole claim, or the program and journal of an execution that ended well. */
export type Risc0Claim =
  | { readonly claimDigest: BytesForm }
  | {
      /** Image id of the program: 32 bytes in the order of `Digest::as_bytes` and of the contracts. */
      readonly imageId: BytesForm;
      /** `receipt.journal.bytes`: the bytes that the program committed, of any length. */
      readonly journal: BytesForm;
    }
  | {
      readonly imageId: BytesForm;
      /** SHA-256 of the journal, in place of it. */
      readonly journalDigest: BytesForm;
    };

/** The release that made the proof: the seal with its selector, the selector, or its parameters. */
export type Risc0Release =
  | { readonly seal: BytesForm }
  | { readonly selector: BytesForm }
  | {
      readonly controlRoot: BytesForm;
      /** As a number, big-endian: the byte order of the contracts, the reverse of that of the Rust crates. */
      readonly bn254ControlId: BytesForm;
    };

/**
 * Builds the five public signals of a Groth16 receipt of RISC Zero: the two halves of the control root, the two halves of
 * the claim digest, and the control id over BN254.
 *
 * @throws FormError `input.form`, `input.range`, `proof.form`, `proof.length`
 * @see risc0/risc0-ethereum, contracts/src/groth16/RiscZeroGroth16Verifier.sol
 */
export function risc0Signals(claim: Risc0Claim, release: Risc0Release): bigint[] {
  const { controlRoot, bn254ControlId } = parametersOf(release);
  const { claimDigest, ...others } = membersOf(claim, 'claimDigest, or imageId and journal');
  if (
    claimDigest !== undefined &&
    ['imageId', 'journal', 'journalDigest'].some((name) => others[name] !== undefined)
  )
    throw new FormError(
      'input.form',
      'claimDigest',
      'expected either claimDigest, or imageId and journal',
      true,
    );
  const digest = claimDigest === undefined ? risc0ClaimDigest(claim) : wordOfForm(claimDigest, 'claimDigest');
  return [...halves(wordOfForm(controlRoot, 'controlRoot')), ...halves(digest), controlIdOf(bn254ControlId)];
}

/**
 * Returns the digest of the claim that a program ran to its end with exit code 0, wrote the journal, and rests on no
 * assumption (`ReceiptClaim::ok`).
 *
 * @returns 32 bytes.
 * @throws FormError `input.form`
 * @see risc0/risc0-ethereum, contracts/src/IRiscZeroVerifier.sol
 */
export function risc0ClaimDigest(claim: Risc0Claim): Uint8Array {
  const { imageId, journal, journalDigest } = membersOf(claim, 'imageId and journal');
  const image = wordOfForm(imageId, 'imageId');
  if ((journal === undefined) === (journalDigest === undefined))
    throw new FormError('input.form', 'journal', 'expected either journal or journalDigest', true);
  const journalHash =
    journal === undefined
      ? wordOfForm(journalDigest, 'journalDigest')
      : sha256(bytesOfForm(journal, 'journal'));
  const none = new Uint8Array(32);
  const output = taggedStruct('risc0.Output', [journalHash, none]);
  // The state after the end: program counter 0 and no memory.
  const post = taggedStruct('risc0.SystemState', [none], new Uint8Array(4));
  // Exit code: halted (0) with 0, two 32-bit numbers.
  return taggedStruct('risc0.ReceiptClaim', [none, image, post, output], new Uint8Array(8));
}

/**
 * Returns SHA-256 of the tag's hash, the digests below, the data, and the number of digests in 16 bits, little-endian.
 *
 * @see risc0/risc0-ethereum, contracts/src/StructHash.sol
 */
export function taggedStruct(tag: string, down: readonly Uint8Array[], data?: Uint8Array): Uint8Array {
  const count = new Uint8Array([down.length & 0xff, down.length >> 8]);
  return sha256(joinBytes([sha256(encodeUtf8(tag)), ...down, data ?? new Uint8Array(0), count]));
}

/** Returns the first and the second half of a digest, each as a little-endian number of 128 bits. */
function halves(digest: Uint8Array): [bigint, bigint] {
  return [numberOf(digest.slice(0, 16).reverse()), numberOf(digest.slice(16).reverse())];
}

function controlIdOf(form: unknown): bigint {
  const hint = '; the order of the Rust crates is the reverse of that of the contracts';
  return scalarOfForm(form, 'bn254ControlId', hint);
}

function parametersOf(release: Risc0Release): { controlRoot?: unknown; bn254ControlId?: unknown } {
  const members = membersOf(release, 'seal, selector, or controlRoot and bn254ControlId');
  const isNamed = members.controlRoot !== undefined || members.bn254ControlId !== undefined;
  if (members.seal === undefined && members.selector === undefined && isNamed) return members;
  const path = members.seal === undefined ? 'selector' : 'seal';
  const selector = path === 'seal' ? selectorOfSeal(members.seal) : selectorOf(members.selector);
  const version = RISC0_VERSIONS.find((row) => row.selector === selector);
  if (version !== undefined) {
    // What a caller passes counts for unknown releases only: other recursion programs would make other proofs.
    for (const parameter of ['controlRoot', 'bn254ControlId'] as const) {
      const passed = members[parameter];
      if (passed !== undefined && toHex(wordOfForm(passed, parameter)) !== version[parameter])
        throw new FormError(
          'input.form',
          parameter,
          `it is not that of ${version.name}, which the selector names`,
        );
    }
    return version;
  }
  if (isNamed) return members;
  const name = selectorName(selector);
  throw new FormError(
    'proof.form',
    path,
    name === undefined
      ? `unknown selector ${selector}: pass controlRoot and bn254ControlId of that release`
      : `${selector} is the selector of ${name}, not of a RISC Zero Groth16 receipt`,
  );
}

function selectorOf(form: unknown): string {
  const bytes = bytesOfForm(form, 'selector', 'proof.form');
  if (bytes.length !== SELECTOR_BYTES)
    throw new FormError('proof.length', 'selector', `expected 4 bytes, got ${bytes.length}`);
  return toHex(bytes);
}

function selectorOfSeal(form: unknown): string {
  const bytes = bytesOfForm(form, 'seal', 'proof.form');
  if (bytes.length === SELECTOR_BYTES + PROOF_BYTES) return toHex(bytes.subarray(0, SELECTOR_BYTES));
  const name =
    bytes.length === PROOF_BYTES ? undefined : selectorName(toHex(bytes.subarray(0, SELECTOR_BYTES)));
  const what = name === undefined ? '' : ` with the selector of ${name}`;
  const cure =
    bytes.length === PROOF_BYTES ? ': it has no selector, name the release by selector instead' : '';
  throw new FormError(
    'proof.length',
    'seal',
    `expected 260 bytes with selector, got ${bytes.length}${what}${cure}`,
  );
}
