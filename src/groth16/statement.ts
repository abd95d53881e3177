import { byteCount, isBytes, isEqual, joinBytes } from '../bytes.ts';
import { signalsOfClaim } from './claim.ts';
import { FormError, WORD_BYTES } from './layout.ts';
import { type ProofFormName, type ReadProof, readProof } from './proof.ts';
import { jsonIn, readSignals } from './signals.ts';

/** A proof with its public signals, as the engine takes them. */
export interface ReadStatement {
  readonly form: ProofFormName;
  /** 256 bytes of the proof, then 32 of each signal. */
  readonly bytes: Uint8Array;
}

/**
 * Reads a proof and its public signals, in any of their forms.
 *
 * @throws FormError `proof.*`, and those of `withSignals`
 */
export function readStatement(proof: unknown, publicSignals: unknown, count: number): ReadStatement {
  return withSignals(readProof(proof), publicSignals, count);
}

/**
 * Reads the public signals of a proof.
 *
 * @param publicSignals - May be undefined if they came with the proof; else both must be equal.
 * @param count - Number of public inputs of the verifying key.
 * @throws FormError `input.*`
 */
export function withSignals(proof: ReadProof, publicSignals: unknown, count: number): ReadStatement {
  const { form, bytes, signals: own, seal } = proof;
  if (publicSignals === undefined && own === undefined)
    throw new FormError('input.form', '', 'publicSignals is required', true);
  const signals = signalsOf(publicSignals === undefined ? own : publicSignals, seal, count);
  if (publicSignals !== undefined) expectOwnSignals(proof, signals);
  return { form, bytes: joinBytes([bytes, signals]) };
}

/**
 * Refuses a proof that came with other public signals.
 *
 * @param signals - 32 bytes for each.
 * @throws FormError `input.*`
 */
export function expectOwnSignals({ signals: own, seal }: ReadProof, signals: Uint8Array): void {
  if (own === undefined) return;
  if (!isEqual(signalsOf(own, seal, signals.length / WORD_BYTES), signals))
    throw new FormError('input.form', '', 'other public signals came with the proof');
}

/** Reads a list of public signals, or computes them from a claim. */
function signalsOf(source: unknown, seal: Uint8Array | undefined, count: number): Uint8Array {
  // Bytes of the right number are words, whatever else they could be.
  const isWords = isBytes(source) && byteCount(source) === count * WORD_BYTES;
  const claim = isWords ? undefined : (jsonIn(source) ?? source);
  return readSignals(signalsOfClaim(claim, seal) ?? source, count);
}

/** The forms that the documents of the engine name first; an answer names any other. */
const USUAL: readonly string[] = ['snarkjs', 'bytes', 'compressed-bytes'] satisfies ProofFormName[];

/** Returns the form as a member of an answer; nothing for the usual ones. */
export function shownForm<F extends string>(form: F): { readonly form?: F } {
  return USUAL.includes(form) ? {} : { form };
}
