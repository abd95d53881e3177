/** Conversion of keys and proofs from any form to that of snarkjs, of Solidity, or bytes. */
import { isBytes } from '../bytes.ts';
import { isObject } from '../json.ts';
import { isBelowScalarOrder } from '../semaphore/words.ts';
import { signalsOfClaim } from './claim.ts';
import { contentOf } from './content.ts';
import { isOnCurve, isOnTwist } from './curve.ts';
import { arkworksInputs } from './forms/arkworks.ts';
import { decompressedProof } from './forms/compressed.ts';
import { gnarkWitness } from './forms/gnark.ts';
import { wordsOf } from './found.ts';
import { type KeyOptions, type ReadKey, readKey } from './key.ts';
import {
  type DecodedKey,
  FIELD_ORDER,
  FormError,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
  PROOF_BYTES,
  ValueError,
  WORD_BYTES,
} from './layout.ts';
import { type ProofFormName, readProof } from './proof.ts';
import { jsonIn, readSignals, type SignalsForm, signalsIn } from './signals.ts';
import { type SnarkjsKeyJson, type SnarkjsProofJson, snarkjsKeyOf, snarkjsProofOf } from './snarkjs-json.ts';
import { suspicionOf } from './suspicion.ts';

/** Forms to which keys and proofs are converted. */
export const CONVERSION_TARGETS = ['snarkjs', 'solidity', 'bytes'] as const;

/** Name of a form to which keys and proofs are converted. */
export type ConversionTarget = (typeof CONVERSION_TARGETS)[number];

/** The points of a key in the order of Solidity, of G2 c1 before c0 (EIP-197): 0x and 64 hex digits each. */
export interface SolidityKey {
  alpha: SolidityG1;
  beta: SolidityG2;
  gamma: SolidityG2;
  delta: SolidityG2;
  IC: SolidityG1[];
}

/** A point of G1; two zeros are infinity. */
export type SolidityG1 = [x: string, y: string];
/** A point of G2. */
export type SolidityG2 = [x: SolidityPair, y: SolidityPair];
type SolidityPair = [c1: string, c0: string];

/** A converted key, by the form. */
export interface ConvertedKey {
  /** The object of `verification_key.json`, without `vk_alphabeta_12`. */
  readonly snarkjs: SnarkjsKeyJson;
  readonly solidity: SolidityKey;
  /** α ‖ β ‖ γ ‖ δ ‖ IC₀ ‖ …, big-endian, G2 as c1 then c0. */
  readonly bytes: Uint8Array;
}

/** A converted proof, by the form. */
export interface ConvertedProof {
  /** As `fullProve` of snarkjs returns it; without `publicSignals` if there are none. */
  readonly snarkjs: { proof: SnarkjsProofJson; publicSignals?: string[] };
  /**
   * The arguments of `verifyProof`, as `snarkjs zkey export soliditycalldata` prints them; without the last, if there are
   * no public signals.
   */
  readonly solidity: string;
  /** 256 bytes, A ‖ B ‖ C, big-endian, G2 as c1 then c0; without public signals. */
  readonly bytes: Uint8Array;
}

/** Choices of a conversion of a proof. */
export interface ConvertProofOptions {
  /** May be absent if they are part of the proof, as in a file of ZoKrates. */
  readonly publicSignals?: SignalsForm | undefined;
}

/** A proof that was read for a conversion. */
export interface PlainProof {
  readonly form: ProofFormName;
  /** 256 bytes, not compressed; all points on their curves. */
  readonly bytes: Uint8Array;
  /** 32 bytes of each public signal; undefined if there are none. */
  readonly signals: Uint8Array | undefined;
}

/** Converts a key in any form. @throws FormError `key.*` */
export function convertKey<T extends ConversionTarget>(
  source: unknown,
  to: T,
  options: Pick<KeyOptions, 'depth'> = {},
): ConvertedKey[T] {
  return keyAs(readKey(source, { depth: options.depth }), to);
}

/**
 * Converts a proof in any form. Its points must be on their curves; whether the proof holds is not checked.
 *
 * @throws FormError `proof.*`, `input.*`
 */
export function convertProof<T extends ConversionTarget>(
  source: unknown,
  to: T,
  options: ConvertProofOptions = {},
): ConvertedProof[T] {
  return proofAs(readPlainProof(source, options.publicSignals), to);
}

/** Writes a key in a form. */
export function keyAs<T extends ConversionTarget>(key: DecodedKey, to: T): ConvertedKey[T] {
  const writers: { readonly [K in ConversionTarget]: () => ConvertedKey[K] } = {
    snarkjs: () => snarkjsKeyOf(key),
    solidity: () => solidityKeyOf(key),
    bytes: () => key.key,
  };
  return writers[to]();
}

/** Writes a proof in a form, with its public signals where the form has a place for them. */
export function proofAs<T extends ConversionTarget>(proof: PlainProof, to: T): ConvertedProof[T] {
  const { bytes, signals } = proof;
  const writers: { readonly [K in ConversionTarget]: () => ConvertedProof[K] } = {
    snarkjs: () => ({
      proof: snarkjsProofOf(bytes),
      ...(signals === undefined ? {} : { publicSignals: wordsOf(signals).map(String) }),
    }),
    solidity: () => calldataOf(proof),
    bytes: () => bytes,
  };
  return writers[to]();
}

/**
 * Reads a proof and checks that its points are on their curves.
 *
 * @param publicSignals - Undefined if there are none, or if they are part of the proof; else both must be equal.
 * @throws FormError `proof.*`, `input.*`
 */
function readPlainProof(source: unknown, publicSignals?: unknown): PlainProof {
  const { form, bytes: read, signals: own, seal } = readProof(source);
  const bytes = form === 'compressed-bytes' ? decompressedProof(read.subarray(0, PROOF_BYTES / 2)) : read;
  checkPoints(bytes);
  const [given, carried] = [publicSignals, own].map((value) =>
    value === undefined ? undefined : signalWords(signalsOfClaim(jsonIn(value) ?? value, seal) ?? value),
  );
  if (given !== undefined && carried !== undefined && String(given) !== String(carried))
    throw new FormError('input.form', '', 'other public signals came with the proof');
  return { form, bytes, signals: given ?? carried };
}

/** @throws FormError `proof.coordinate_range`, `proof.point_not_on_curve` */
function checkPoints(proof: Uint8Array): void {
  const words = wordsOf(proof);
  const [ax = 0n, ay = 0n, x1 = 0n, x0 = 0n, y1 = 0n, y0 = 0n, cx = 0n, cy = 0n] = words;
  if (words.some((word) => word >= FIELD_ORDER))
    throw new ValueError('proof.coordinate_range', '', 'expected coordinates below p');
  const isInfinity = (...parts: readonly bigint[]): boolean => parts.every((part) => part === 0n);
  const points = {
    A: isInfinity(ax, ay) || isOnCurve({ x: ax, y: ay }),
    B: isInfinity(x1, x0, y1, y0) || isOnTwist({ x: [x0, x1], y: [y0, y1] }),
    C: isInfinity(cx, cy) || isOnCurve({ x: cx, y: cy }),
  };
  const code = 'proof.point_not_on_curve';
  for (const [name, isOn] of Object.entries(points))
    if (!isOn) throw new ValueError(code, name, `not a point of its curve${suspicionOf(code, proof)}`);
}

/** Returns the words of public signals whose number is not known. @throws FormError `input.*` */
function signalWords(source: unknown): Uint8Array {
  const list = signalsIn(source);
  const bytes = isBytes(list) ? (gnarkWitness(list) ?? arkworksInputs(list) ?? list) : undefined;
  const words = readSignals(
    bytes ?? list,
    bytes === undefined ? list.length : Math.floor(bytes.length / WORD_BYTES),
  );
  for (let at = 0; at < words.length; at += WORD_BYTES) {
    if (!isBelowScalarOrder(words.subarray(at, at + WORD_BYTES)))
      throw new ValueError('input.range', `publicSignals[${at / WORD_BYTES}]`, 'expected a number below r');
  }
  return words;
}

function hexWords(bytes: Uint8Array): string[] {
  return wordsOf(bytes).map((word) => `0x${word.toString(16).padStart(2 * WORD_BYTES, '0')}`);
}

function solidityKeyOf({ key, inputCount }: DecodedKey): SolidityKey {
  const g1 = (offset: number): SolidityG1 => {
    const [x = '', y = ''] = hexWords(key.subarray(offset, offset + G1_BYTES));
    return [x, y];
  };
  const g2 = (index: number): SolidityG2 => {
    const offset = G1_BYTES + index * G2_BYTES;
    const [x1 = '', x0 = '', y1 = '', y0 = ''] = hexWords(key.subarray(offset, offset + G2_BYTES));
    return [
      [x1, x0],
      [y1, y0],
    ];
  };
  return {
    alpha: g1(0),
    beta: g2(0),
    gamma: g2(1),
    delta: g2(2),
    IC: Array.from({ length: inputCount + 1 }, (_, index) => g1(HEAD_BYTES + index * G1_BYTES)),
  };
}

function calldataOf({ bytes, signals }: PlainProof): string {
  const [ax, ay, x1, x0, y1, y0, cx, cy] = hexWords(bytes).map((word) => JSON.stringify(word));
  const points = `[${ax}, ${ay}],[[${x1}, ${x0}],[${y1}, ${y0}]],[${cx}, ${cy}]`;
  if (signals === undefined) return points;
  return `${points},[${hexWords(signals)
    .map((word) => JSON.stringify(word))
    .join(',')}]`;
}

/** A key or a proof. */
export type KeyOrProof =
  | { readonly kind: 'key'; readonly key: ReadKey }
  | { readonly kind: 'proof'; readonly proof: PlainProof };

/** Members that only a key has. */
const KEY_MEMBERS = ['vk_alpha_1', 'vk_beta_2', 'vk_delta_2', 'IC', 'gamma_abc', 'G1', 'G2'] as const;

/**
 * Reads a key or a proof, whichever it is: a key if it has the members of one, or else whichever can be read.
 *
 * @throws FormError `key.*` for a key, `proof.*` and `input.*` for a proof; if it can be neither, the code is that of a proof
 *   and the message has both faults
 */
export function readKeyOrProof(
  source: unknown,
  { depth, publicSignals }: KeyOrProofOptions = {},
): KeyOrProof {
  const content = contentOf(source, { form: 'proof.form', length: 'proof.length', what: 'a key or a proof' });
  const members = 'json' in content && isObject(content.json) ? content.json : undefined;
  const readAsKey = (): KeyOrProof => ({ kind: 'key', key: readKey(source, { depth }) });
  if (members !== undefined && KEY_MEMBERS.some((name) => members[name] !== undefined)) return readAsKey();
  const keyFault = faultOf(readAsKey);
  if (!(keyFault instanceof FormError)) return keyFault;
  const proofFault = faultOf(() => ({ kind: 'proof', proof: readPlainProof(source, publicSignals) }));
  if (!(proofFault instanceof FormError)) return proofFault;
  if (proofFault.code.startsWith('input.') || proofFault instanceof ValueError) throw proofFault;
  throw new FormError(
    proofFault.code,
    '',
    `neither a proof (${proofFault.message}) nor a key (${keyFault.message})`,
    proofFault.isType,
  );
}

/** Choices of `readKeyOrProof`. */
export interface KeyOrProofOptions extends ConvertProofOptions, Pick<KeyOptions, 'depth'> {}

function faultOf(step: () => KeyOrProof): KeyOrProof | FormError {
  try {
    return step();
  } catch (error) {
    if (error instanceof FormError) return error;
    throw error;
  }
}
