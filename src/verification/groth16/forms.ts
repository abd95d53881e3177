import { writeHex } from '../../semaphore/hex.ts';
import { writeNumber } from '../../semaphore/number-text.ts';

const WORD_BYTES = 32;
const PROOF_BYTES = 256;
const COMPRESSED_BYTES = 128;
const HEX_MARK = /^0[xX]/;
/** A decimal text without leading zeros of this many digits may be 2²⁵⁶ or more. */
const WIDE_DECIMAL = /^[1-9][0-9]{77,}$/;
const NUMBER_FORM = 'decimal text without leading zeros, 0x and 1 to 64 hex digits, or a safe integer from 0';

/** Why a value has no bytes that the engine could check. */
export interface FormFault {
  readonly code:
    | 'proof.format'
    | 'proof.length'
    | 'proof.coordinate_range'
    | 'proof.point_not_on_curve'
    | 'input.format'
    | 'input.count'
    | 'input.range';
  /** What was expected and where; never what arrived. */
  readonly message: string;
}

/**
 * Writes the bytes of a proof of one of the accepted forms (spec/verification.md#forms-of-proofs).
 *
 * @param target - 256 zero bytes; undefined content if there is a fault.
 * @returns undefined if the value is a proof.
 */
export function writeProofForm(value: unknown, target: Uint8Array): FormFault | undefined {
  if (typeof value === 'string') return writeHexProof(value, target);
  return writeSnarkjsProof(value, target);
}

/**
 * Writes a proof of 256 bytes, or the 128 of a compressed one, from `0x` and its hex digits. A compressed proof is padded
 * with four zero words, by which the engine knows it.
 */
export function writeHexProof(text: string, target: Uint8Array): FormFault | undefined {
  if (!HEX_MARK.test(text)) return proofFault('expected 0x and hex digits, or an object of snarkjs');
  const bytes = (text.length - 2) / 2;
  if (bytes !== PROOF_BYTES && bytes !== COMPRESSED_BYTES) {
    return {
      code: 'proof.length',
      message: `proof: expected ${PROOF_BYTES} bytes, or ${COMPRESSED_BYTES} if it is compressed`,
    };
  }
  return writeHex(text, 2, text.length, target, bytes)
    ? undefined
    : proofFault('expected hex digits after 0x');
}

/**
 * Writes a proof in the form of snarkjs: `pi_a` and `pi_c` are [x, y, "1"], `pi_b` is [[x0, x1], [y0, y1], ["1", "0"]].
 * `curve` and `protocol` may be absent.
 */
export function writeSnarkjsProof(value: unknown, target: Uint8Array): FormFault | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return proofFault('expected an object of snarkjs, or 0x and hex digits');
  }
  const { pi_a, pi_b, pi_c, curve = 'bn128', protocol = 'groth16' } = value as Record<string, unknown>;
  if (curve !== 'bn128' && curve !== 'bn254') return proofFault('curve: expected bn128 or bn254');
  if (protocol !== 'groth16') return proofFault('protocol: expected groth16');
  return (
    writeG1(pi_a, 'pi_a', target.subarray(0, 64)) ??
    writeG2(pi_b, target.subarray(64, 192)) ??
    writeG1(pi_c, 'pi_c', target.subarray(192, 256))
  );
}

/**
 * Writes public inputs, one word of 32 bytes each. Values from r to 2²⁵⁶ − 1 are written as they are, since the engine
 * refuses them; nothing is reduced.
 *
 * @param count - Number of public inputs of the key.
 * @param target - `count` words of zero bytes.
 * @returns undefined if all of them are numbers below 2²⁵⁶.
 */
export function writePublicSignals(value: unknown, count: number, target: Uint8Array): FormFault | undefined {
  if (!Array.isArray(value)) return inputFault('publicSignals', 'expected an array');
  if (value.length !== count) {
    return { code: 'input.count', message: `publicSignals: expected ${count} of them, got ${value.length}` };
  }
  for (let index = 0; index < count; index++) {
    const written = writeInteger(value[index], target, index * WORD_BYTES);
    if (written === 'written') continue;
    const name = `publicSignals[${index}]`;
    if (written === 'too_large')
      return { code: 'input.range', message: `${name}: expected a number below r` };
    return inputFault(name, `expected ${NUMBER_FORM}`);
  }
  return undefined;
}

function writeG1(value: unknown, name: string, target: Uint8Array): FormFault | undefined {
  const point = tuple(value, 3);
  if (point === undefined) return proofFault(`${name}: expected three coordinates`);
  const [x, y, z] = point;
  if (!isDigit(z, 1)) return proofFault(`${name}[2]: expected "1", as affine coordinates have it`);
  return writeCoordinates([x, y], name, target);
}

function writeG2(value: unknown, target: Uint8Array): FormFault | undefined {
  const [x, y, z] = (tuple(value, 3) ?? []).map((part) => tuple(part, 2));
  if (x === undefined || y === undefined || z === undefined) {
    return proofFault('pi_b: expected three coordinates of two numbers');
  }
  if (!isDigit(z[0], 1) || !isDigit(z[1], 0)) {
    return proofFault('pi_b[2]: expected ["1","0"], as affine coordinates have it');
  }
  // snarkjs writes c0 before c1
  return writeCoordinates([x[1], x[0], y[1], y[0]], 'pi_b', target);
}

function writeCoordinates(
  coordinates: readonly unknown[],
  name: string,
  target: Uint8Array,
): FormFault | undefined {
  for (const [index, coordinate] of coordinates.entries()) {
    const written = writeInteger(coordinate, target, index * WORD_BYTES);
    if (written === 'too_large') {
      return { code: 'proof.coordinate_range', message: `${name}: expected coordinates below p` };
    }
    if (written === 'malformed') return proofFault(`${name}: expected coordinates in ${NUMBER_FORM}`);
  }
  // Zeros are infinity in bytes, and mark a compressed proof; with the third coordinate 1 they are a point off the curve.
  if (target.some((byte) => byte !== 0)) return undefined;
  return { code: 'proof.point_not_on_curve', message: `${name}: the point is not on its curve` };
}

function writeInteger(
  value: unknown,
  target: Uint8Array,
  offset: number,
): 'written' | 'too_large' | 'malformed' {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') return 'malformed';
  if (writeNumber(text, target, offset)) return 'written';
  return WIDE_DECIMAL.test(text) ? 'too_large' : 'malformed';
}

function isDigit(value: unknown, digit: 0 | 1): boolean {
  return value === digit || value === String(digit);
}

function tuple(value: unknown, length: number): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length === length ? value : undefined;
}

function proofFault(text: string): FormFault {
  return { code: 'proof.format', message: `proof: ${text}` };
}

function inputFault(name: string, text: string): FormFault {
  return { code: 'input.format', message: `${name}: ${text}` };
}
