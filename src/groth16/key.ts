import { byteCount, isBytes, isEqual } from '../bytes.ts';
import { isObject, type JsonObject } from '../json.ts';
import { contentOf } from './content.ts';
import { isOnCurve, isOnTwist } from './curve.ts';
import { arkworksKey } from './forms/arkworks.ts';
import { gnarkBinaryKey, gnarkJsonKey } from './forms/gnark.ts';
import { isPackedKey, packedKey } from './forms/semaphore.ts';
import { checkStatedInputs, snarkjsKey } from './forms/snarkjs.ts';
import { structKey } from './forms/structs.ts';
import { checkScheme, zokratesKey } from './forms/zokrates.ts';
import { type FoundPoints, pointBytes, wordsOf } from './found.ts';
import {
  checkFinite,
  type DecodedKey,
  FIELD_ORDER,
  FormError,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
  MAX_INPUTS,
  typeName,
} from './layout.ts';
import type { NumberCodes, NumberForm } from './numbers.ts';
import { looksSwapped } from './suspicion.ts';

/** Form in which a key was found (src/docs/proofs-from-other-tools.md). */
export type KeyFormName =
  | 'snarkjs'
  | 'semaphore'
  | 'gnark-json'
  | 'gnark-raw'
  | 'gnark-compressed'
  | 'zokrates'
  | 'garaga'
  | 'solidity'
  | 'arkworks'
  | 'arkworks-compressed'
  | 'bytes';

/** A verifying key in the form of snarkjs; `curve` is `bn128` under any of its names. */
export interface VerifyingKeyForm {
  readonly protocol?: string;
  readonly curve?: string;
  readonly nPublic?: number | string;
  readonly vk_alpha_1: readonly NumberForm[];
  readonly vk_beta_2: readonly (readonly NumberForm[])[];
  readonly vk_gamma_2: readonly (readonly NumberForm[])[];
  readonly vk_delta_2: readonly (readonly NumberForm[])[];
  readonly IC: readonly (readonly NumberForm[])[];
}

/**
 * A verifying key: the object of snarkjs; the bytes α ‖ β ‖ γ ‖ δ ‖ IC₀ ‖ … (big-endian, G2 as c1 then c0); or any other
 * form of src/docs/proofs-from-other-tools.md, as parsed, text or bytes.
 */
export type KeyForm = VerifyingKeyForm | Uint8Array | string | object;

/** A key whose bytes have been read. */
export interface ReadKey extends DecodedKey {
  readonly form: KeyFormName;
}

/** Choices of a reader of keys. */
export interface KeyOptions {
  /** Depth of the tree whose key is taken from a file with the keys of several. */
  readonly depth?: number | undefined;
  /** Whether what `groth16.verify` of snarkjs ignores is ignored: `protocol`, `nPublic`, a fourth coordinate of a point. */
  readonly isLax?: boolean;
}

/** A key whose numbers have not been read, or its bytes. */
export type FoundKey =
  | { readonly form: KeyFormName; readonly points: FoundPoints }
  | { readonly form: KeyFormName; readonly key: Uint8Array };

const CODES: NumberCodes = { form: 'key.not_json', range: 'key.coordinate_range' };
const HEAD_POINTS = 4;
const GAMMA_AT = G1_BYTES + G2_BYTES;
const DELTA_AT = GAMMA_AT + G2_BYTES;
/** First bytes of a proving key of snarkjs: `zkey`. */
const ZKEY_MAGIC: readonly number[] = [0x7a, 0x6b, 0x65, 0x79];
const POINT_NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
/** Faults of a key that a message lists. */
const SHOWN_FAULTS = 4;

/**
 * Reads a verifying key in any of the forms of src/docs/proofs-from-other-tools.md. The engine checks the subgroup of its
 * points, and their relations.
 *
 * @param source - A value as parsed, the text or the bytes of a file.
 * @throws FormError `key.*`: the message has all faults of the points, δ = γ first
 */
export function readKey(source: unknown, options: KeyOptions = {}): ReadKey {
  return keyOfFound(findKey(source, options));
}

/** Finds the points of a key, without reading their numbers. @throws FormError `key.*` */
export function findKey(source: unknown, options: KeyOptions = {}): FoundKey {
  const content = contentOf(source, { form: 'key.not_json', length: 'key.length', what: 'a key' });
  if ('bytes' in content) return keyInBytes(content.bytes);
  const { json } = content;
  if (isObject(json)) return keyInObject(json, options);
  const isType = typeof source !== 'string' && !isBytes(source);
  throw new FormError('key.not_json', '', `expected a key as an object, got ${typeName(json)}`, isType);
}

function keyInObject(file: JsonObject, { depth, isLax = false }: KeyOptions): FoundKey {
  if (isPackedKey(file)) return { form: 'semaphore', points: snarkjsKey(packedKey(file, depth)) };
  if (isObject(file.G1) || isObject(file.G2)) return { form: 'gnark-json', points: gnarkJsonKey(file) };
  if (file.scheme !== undefined) checkScheme(file.scheme, 'key.protocol');
  if (file.gamma_abc !== undefined) return { form: 'zokrates', points: zokratesKey(file) };
  const struct = structKey(file);
  if (struct !== undefined) return struct;
  const labels = isLax ? { protocol: undefined, nPublic: undefined } : {};
  const key = { ...pick(file), ...labels };
  const points = snarkjsKey(key, isLax);
  checkStatedInputs(key.nPublic, points.parts.length - HEAD_POINTS);
  return { form: 'snarkjs', points };
}

/** Reads the members of a key of snarkjs, each once. */
function pick(file: JsonObject): Record<string, unknown> {
  const { protocol, curve, nPublic, vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2, IC } = file;
  return { protocol, curve, nPublic, vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2, IC };
}

/** Whether bytes have a point of the twist where β is in the bytes for the engine. */
function hasBeta(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD_BYTES || (bytes.length - HEAD_BYTES) % G1_BYTES !== 0) return false;
  const words = wordsOf(bytes.subarray(G1_BYTES, G1_BYTES + G2_BYTES));
  const [x1 = 0n, x0 = 0n, y1 = 0n, y0 = 0n] = words;
  return words.every((word) => word < FIELD_ORDER) && isOnTwist({ x: [x0, x1], y: [y0, y1] });
}

function keyInBytes(bytes: Uint8Array): FoundKey {
  if (ZKEY_MAGIC.every((byte, index) => bytes[index] === byte)) {
    const cure =
      'export its verifying key (snarkjs zkey export verificationkey), or import the file with vkey import';
    throw new FormError('key.not_json', '', `expected a verifying key, got a proving key (zkey): ${cure}`);
  }
  // First: by chance, the count of another form can be within a point.
  if (hasBeta(bytes)) return { form: 'bytes', key: bytes };
  for (const isCompressed of [false, true]) {
    const suffix = isCompressed ? 'compressed' : 'raw';
    const gnark = gnarkBinaryKey(bytes, isCompressed);
    if (gnark !== undefined) return { form: `gnark-${suffix}`, key: gnark };
    const arkworks = arkworksKey(bytes, isCompressed);
    if (arkworks !== undefined)
      return { form: isCompressed ? 'arkworks-compressed' : 'arkworks', key: arkworks };
  }
  return { form: 'bytes', key: bytes };
}

/** Reads the numbers of a key and checks its points. @throws FormError `key.*` */
export function keyOfFound(found: FoundKey): ReadKey {
  const faults = new Map<number, FormError>();
  const key =
    'key' in found
      ? found.key
      : pointBytes(found.points, CODES, (fault, point) => void faults.set(point, fault));
  const nameOf = 'key' in found ? nameInBytes : found.points.nameOf;
  const inputCount = (byteCount(key) - HEAD_BYTES) / G1_BYTES - 1;
  if (!Number.isInteger(inputCount) || inputCount < 0 || inputCount > MAX_INPUTS) {
    const expected = `expected ${HEAD_BYTES} bytes and ${G1_BYTES} for each of 1 to ${MAX_INPUTS + 1} points of inputs`;
    throw new FormError(
      'key.length',
      '',
      `${expected}, or a key of gnark or arkworks, got ${key.length} bytes`,
    );
  }
  checkPoints(key, nameOf, faults);
  const ordered = [...faults].sort(([one], [other]) => one - other).map(([, fault]) => fault);
  // The engine would say so, if nothing else were wrong.
  if (ordered.length > 0 && isEqual(key.subarray(GAMMA_AT, DELTA_AT), key.subarray(DELTA_AT, HEAD_BYTES)))
    ordered.unshift(
      new FormError(
        'key.forgeable',
        nameOf(HEAD_POINTS - 1),
        'delta equals gamma, so that anyone can forge proofs',
      ),
    );
  throwFaults(ordered);
  return { form: found.form, key, inputCount };
}

type NameOf = FoundPoints['nameOf'];

const nameInBytes: NameOf = (point) => POINT_NAMES[point] ?? `IC[${point - HEAD_POINTS}]`;

/** Collects the points that are infinite though they must not be, out of range, or not on their curves. */
function checkPoints(key: Uint8Array, nameOf: NameOf, faults: Map<number, FormError>): void {
  let offset = 0;
  for (let point = 0; offset < key.length; point++) {
    const size = point > 0 && point < HEAD_POINTS ? G2_BYTES : G1_BYTES;
    const bytes = key.subarray(offset, offset + size);
    offset += size;
    try {
      if (!faults.has(point)) checkPoint(bytes, point, nameOf);
    } catch (fault) {
      if (!(fault instanceof FormError)) throw fault;
      faults.set(point, fault);
    }
  }
}

function checkPoint(bytes: Uint8Array, point: number, nameOf: NameOf): void {
  const name = nameOf(point);
  const isHead = point < HEAD_POINTS;
  if (isHead) checkFinite(bytes, name, POINT_NAMES[point] ?? '');
  else if (bytes.every((byte) => byte === 0)) return;
  const words = wordsOf(bytes);
  if (words.some((word) => word >= FIELD_ORDER))
    throw new FormError('key.coordinate_range', name, 'expected coordinates below p');
  const [a = 0n, b = 0n, c = 0n, d = 0n] = words;
  const isOn = words.length === 2 ? isOnCurve({ x: a, y: b }) : isOnTwist({ x: [b, a], y: [d, c] });
  if (isOn) return;
  const hint = looksSwapped(words) ? ': it looks like the other order of the parts of G2, c1 before c0' : '';
  throw new FormError('key.point_not_on_curve', name, `not a point of its curve${hint}`);
}

/** Throws the first fault, whose message continues with those of the others. */
function throwFaults(faults: readonly FormError[]): void {
  const [first, ...others] = faults;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const shown = others.slice(0, SHOWN_FAULTS - 1).map(({ message }) => message);
  const hidden = others.length - shown.length;
  const rest = [...shown, ...(hidden > 0 ? [`${hidden} more`] : [])].join('; also ');
  throw new FormError(first.code, first.path, `${first.expected}; also ${rest}`, first.isType);
}
