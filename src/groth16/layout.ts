/** Codes of values in no accepted form. */
export type FormCode =
  | 'key.not_json'
  | 'key.protocol'
  | 'key.input_count'
  | 'key.coordinate_range'
  | 'key.point_at_infinity'
  | 'key.point_not_on_curve'
  | 'key.length'
  | 'key.forgeable'
  | 'proof.length'
  | 'proof.coordinate_range'
  | 'proof.form'
  | 'proof.point_not_on_curve'
  | 'proof.decompression'
  | 'input.count'
  | 'input.form'
  | 'input.range';

/** Error for a value in no accepted form. The message names the member and quotes the start of what was found. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly code: FormCode;
  /** Name of the invalid part, such as `pi_b[1][0]`. */
  readonly path: string;
  /** Whether a part has the wrong type, so that the caller's program rather than its data is at fault. */
  readonly isType: boolean;
  /** The message without `path`. */
  readonly expected: string;

  constructor(code: FormCode, path: string, expected: string, isType = false) {
    super(path === '' ? expected : `${path}: ${expected}`);
    this.expected = expected;
    this.code = code;
    this.path = path;
    this.isType = isType;
  }
}

/** Error for a number or point that has a wrong value in its right place. */
export class ValueError extends FormError {}

/** Names the type of a value for messages; an absent one is nothing. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Characters of a found text that a message quotes. */
const QUOTED = 40;

/** Quotes a found text or number, shortened, and names the type of any other value. Calls no method of the value. */
export function quoted(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > QUOTED ? `${value.slice(0, QUOTED)}…` : value);
  if (typeof value === 'number') return String(value);
  return typeName(value);
}

/** Base field order p of BN254 (EIP-196). */
export const FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** Bytes of a base field element in a key, big-endian; a coordinate of G2 consists of two. */
export const WORD_BYTES = 32;
/** Bytes of a G1 point in a key: x, y. */
export const G1_BYTES = 64;
/** Bytes of a G2 point in a key: x.c1, x.c0, y.c1, y.c0. */
export const G2_BYTES = 128;
/** Bytes of a proof: A in G1, B in G2, C in G1. */
export const PROOF_BYTES: number = 2 * G1_BYTES + G2_BYTES;
/** Bytes of α, β, γ and δ of a key. */
export const HEAD_BYTES: number = G1_BYTES + 3 * G2_BYTES;
/** Maximum number of public inputs of an imported key. */
export const MAX_INPUTS = 1024;

/** A verifying key in the byte layout of the engine, and its number of public inputs. */
export interface DecodedKey {
  readonly key: Uint8Array;
  readonly inputCount: number;
}

/**
 * Checks that a key has one IC point more than inputs.
 *
 * @throws FormError `key.input_count`
 */
export function checkInputCount(inputCount: number, icCount: number): void {
  if (inputCount < 0 || inputCount > MAX_INPUTS || icCount !== inputCount + 1) {
    const expected = `expected nPublic + 1 = ${inputCount + 1} points (nPublic 0 to ${MAX_INPUTS})`;
    throw new FormError('key.input_count', 'IC', `${expected}, got ${icCount}`);
  }
}

/**
 * Checks that a point is not the point at infinity, which is written as zeros.
 *
 * @param member - Name of the point in its file.
 * @param name - `alpha`, `beta`, `gamma` or `delta`.
 * @throws FormError `key.point_at_infinity`
 */
export function checkFinite(point: Uint8Array, member: string, name: string): void {
  if (point.every((byte) => byte === 0)) {
    throw new FormError('key.point_at_infinity', member, `${name} is the point at infinity`);
  }
}
