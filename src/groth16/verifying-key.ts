import { isObject, parseJsonText } from '../json.ts';
import { writeDecimal } from '../semaphore/words.ts';
import {
  checkFinite,
  checkInputCount,
  type DecodedKey,
  FormError,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
} from './layout.ts';
import { typeName } from './number-form.ts';

/** A verifying key in the form of snarkjs. */
export interface VerifyingKeyForm {
  readonly protocol: string;
  readonly curve: string;
  readonly nPublic: number;
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** Maximum characters of a key as text: many times those of a key with 1,024 inputs. */
const MAX_TEXT = 4_194_304;
const HEAD_POINTS = [
  ['vk_alpha_1', 'alpha'],
  ['vk_beta_2', 'beta'],
  ['vk_gamma_2', 'gamma'],
  ['vk_delta_2', 'delta'],
] as const;

/**
 * Decodes a verifying key of snarkjs and checks its form. The engine checks that the points are on their curves and in
 * the subgroup. `vk_alphabeta_12` is ignored.
 *
 * @param source - The JSON, as text or parsed.
 * @throws FormError `key.not_json`, `key.protocol`, `key.input_count`, `key.coordinate_range`, `key.point_at_infinity`;
 *   the message names the member.
 */
export function verifyingKeyOf(source: unknown): DecodedKey {
  const file = typeof source === 'string' ? parse(source) : source;
  if (!isObject(file)) {
    throw new FormError(
      'key.not_json',
      '',
      `expected one JSON object, got ${typeName(file)}`,
      typeof source !== 'string',
    );
  }
  if (file.protocol !== 'groth16') throw protocolError('protocol', 'groth16', file.protocol);
  if (file.curve !== 'bn128') throw protocolError('curve', 'bn128', file.curve);
  const inputCount = file.nPublic;
  if (typeof inputCount !== 'number' || !Number.isInteger(inputCount)) {
    throw malformed('nPublic', 'a whole number');
  }
  const points = file.IC;
  if (!Array.isArray(points)) throw malformed('IC', 'an array of points');
  const icCount = points.length;
  checkInputCount(inputCount, icCount);
  const key = new Uint8Array(HEAD_BYTES + G1_BYTES * icCount);
  let offset = 0;
  for (const [member, name] of HEAD_POINTS) {
    const size = member === 'vk_alpha_1' ? G1_BYTES : G2_BYTES;
    const target = key.subarray(offset, offset + size);
    writePoint(file[member], member, target);
    checkFinite(target, member, name);
    offset += size;
  }
  // By index: holes count, and the array may change while its elements are read.
  for (let index = 0; index < icCount; index++) {
    writePoint(points[index], `IC[${index}]`, key.subarray(offset, offset + G1_BYTES));
    offset += G1_BYTES;
  }
  return { key, inputCount };
}

function parse(text: string): unknown {
  if (text.length > MAX_TEXT)
    throw new FormError('key.not_json', '', `expected at most ${MAX_TEXT} characters, got ${text.length}`);
  try {
    return parseJsonText(text);
  } catch {
    throw new FormError('key.not_json', '', 'expected JSON');
  }
}

function protocolError(member: string, expected: string, found: unknown): FormError {
  const shown = typeof found === 'string' ? JSON.stringify(found.slice(0, 32)) : typeName(found);
  return new FormError('key.protocol', member, `expected "${expected}", got ${shown}`);
}

/** Writes a point of decimal, projective coordinates with z = 1; z = 0 is infinity and written as zeros. */
function writePoint(point: unknown, name: string, target: Uint8Array): void {
  const isG2 = target.length === G2_BYTES;
  if (!Array.isArray(point) || point.length !== 3) {
    throw malformed(name, 'an array of three coordinates');
  }
  const [x, y, z] = [0, 1, 2].map((index) => parts(point[index], isG2, `${name}[${index}]`));
  if (!x || !y || !z) throw malformed(name, 'an array of three coordinates');
  const isAffine = z[0] === '1' && (z[1] ?? '0') === '0';
  const isInfinity = z.every((part) => part === '0');
  if (!isAffine && !isInfinity) throw malformed(`${name}[2]`, isG2 ? '["1","0"]' : '"1"');
  // snarkjs writes Fp2 as c0, c1; the words of a key are c1, c0
  const words = isG2 ? [x[1], x[0], y[1], y[0]] : [x[0], y[0]];
  words.forEach((word, index) => {
    writeCoordinate(word ?? '', name, target.subarray(index * 32, index * 32 + 32));
  });
  if (isInfinity) target.fill(0);
}

function parts(coordinate: unknown, isG2: boolean, name: string): readonly string[] {
  if (isG2 && !(Array.isArray(coordinate) && coordinate.length === 2)) {
    throw malformed(name, 'an array of two decimal texts');
  }
  const values: unknown[] = isG2
    ? [(coordinate as unknown[])[0], (coordinate as unknown[])[1]]
    : [coordinate];
  if (!values.every((value) => typeof value === 'string')) throw malformed(name, 'a decimal text');
  return values;
}

function writeCoordinate(text: string, name: string, target: Uint8Array): void {
  if (writeDecimal(text, target)) return;
  const code = /^[1-9][0-9]*$/.test(text) ? 'key.coordinate_range' : 'key.not_json';
  throw new FormError(code, name, 'expected decimal digits of a number below p');
}

function malformed(name: string, expected: string): FormError {
  return new FormError('key.not_json', name, `expected ${expected}`);
}
