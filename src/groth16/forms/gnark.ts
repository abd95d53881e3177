/**
 * Forms of gnark: the JSON of its Go structs, and what `WriteTo` (compressed) and `WriteRawTo` write
 * (gnark, backend/groth16/bn254/marshal.go; gnark-crypto, ecc/bn254/marshal.go).
 */
import { isObject, type JsonObject } from '../../json.ts';
import { PointCollector } from '../found.ts';
import { FIELD_ORDER, FormError, G1_BYTES, G2_BYTES, MAX_INPUTS, typeName, WORD_BYTES } from '../layout.ts';
import { ByteCursor, countOf, KEY_CODES, type PointLayout, readPoint, readProofPoints } from './binary.ts';

const COUNT_BYTES = 4;
/** gnark writes no negative number below −65535. */
const SMALLEST = 65_535;
const LAYOUT: PointLayout = {
  isLittleEndian: false,
  flagsOf(bits, isCompressed) {
    if (!isCompressed) return bits === 0 ? { isInfinity: false, isLarger: false } : undefined;
    return bits === 0 ? undefined : { isInfinity: bits === 1, isLarger: bits === 3 };
  },
};
const COMMITMENTS = 'has Pedersen commitments (api.Commit of gnark), which are not supported';

/** Whether the first byte is that of a compressed point; the compressed form of the engine never has this bit. */
export function isGnarkCompressed([first = 0]: Uint8Array): boolean {
  return first >= 0x80;
}

/** Finds the points of a proof in gnark's JSON: `Ar`, `Bs`, `Krs`. @throws FormError */
export function gnarkJsonProof({ Ar, Bs, Krs, Commitments }: JsonObject): PointCollector {
  if (Array.isArray(Commitments) && Commitments.length > 0)
    throw new FormError('proof.form', 'Commitments', `the proof ${COMMITMENTS}`);
  const names = ['Ar', 'Bs', 'Krs'];
  const points = new PointCollector('proof.form', (point, coordinate, part) =>
    partName(names[point] ?? '', point === 1, coordinate, part),
  );
  addG1(points, Ar, 'Ar');
  addG2(points, Bs, 'Bs');
  addG1(points, Krs, 'Krs');
  return points;
}

/** Finds the points of a key in gnark's JSON: `G1` and `G2`. @throws FormError */
export function gnarkJsonKey(file: JsonObject): PointCollector {
  const { CommitmentKeys, PublicAndCommitmentCommitted } = file;
  for (const list of [CommitmentKeys, PublicAndCommitmentCommitted]) {
    if (Array.isArray(list) && list.length > 0)
      throw new FormError('key.protocol', '', `the key ${COMMITMENTS}`);
  }
  const [g1, g2] = [memberOf(file.G1, 'G1'), memberOf(file.G2, 'G2')];
  const names = ['G1.Alpha', 'G2.Beta', 'G2.Gamma', 'G2.Delta'];
  const points = new PointCollector('key.not_json', (point, coordinate, part) =>
    partName(names[point] ?? `G1.K[${point - 4}]`, point > 0 && point < 4, coordinate, part),
  );
  addG1(points, g1.Alpha, 'G1.Alpha');
  for (const name of ['Beta', 'Gamma', 'Delta']) addG2(points, g2[name], `G2.${name}`);
  const { K } = g1;
  if (!Array.isArray(K))
    throw new FormError('key.not_json', 'G1.K', `expected an array of points, got ${typeName(K)}`, true);
  const { length } = K;
  checkCount(length, 'G1.K');
  for (let index = 0; index < length; index++) addG1(points, K[index], `G1.K[${index}]`);
  return points;

  function memberOf(value: unknown, name: string): JsonObject {
    if (isObject(value)) return value;
    throw new FormError('key.not_json', name, `expected an object, got ${typeName(value)}`, true);
  }
}

function partName(point: string, isG2: boolean, coordinate?: number, part?: number): string {
  if (coordinate === undefined) return point;
  const name = `${point}.${coordinate === 0 ? 'X' : 'Y'}`;
  return isG2 ? `${name}.A${part}` : name;
}

function addG1(points: PointCollector, point: unknown, name: string): void {
  const { X, Y } = objectIn(points, point, name);
  points.affine(canonical(X), canonical(Y));
}

function addG2(points: PointCollector, point: unknown, name: string): void {
  const { X, Y } = objectIn(points, point, name);
  const [x, y] = [objectIn(points, X, `${name}.X`), objectIn(points, Y, `${name}.Y`)];
  points.affine(canonical(x.A0), canonical(x.A1), canonical(y.A0), canonical(y.A1));
}

/** A negative JSON number is one just below p (gnark-crypto, ecc/bn254/fp/element.go, `Element.Text`). */
function canonical(value: unknown): unknown {
  return typeof value === 'number' && value < 0 && value >= -SMALLEST ? FIELD_ORDER + BigInt(value) : value;
}

function objectIn(points: PointCollector, value: unknown, name: string): JsonObject {
  if (isObject(value)) return value;
  throw new FormError(points.code, name, `expected an object, got ${typeName(value)}`, true);
}

function checkCount(count: number, name: string): void {
  if (count < 1 || count > MAX_INPUTS + 1)
    throw new FormError('key.input_count', name, `expected 1 to ${MAX_INPUTS + 1} points, got ${count}`);
}

/**
 * Reads a proof of gnark's binary form: Ar, Bs, Krs, and since gnark 0.9 a list of commitments and their proof.
 *
 * @returns 256 bytes for the engine; undefined for bytes of another length.
 * @throws FormError `proof.*`
 */
export function gnarkBinaryProof(bytes: Uint8Array, isCompressed: boolean): Uint8Array | undefined {
  const scale = isCompressed ? 2 : 1;
  const [g1, g2] = [G1_BYTES / scale, G2_BYTES / scale];
  const tail = bytes.length - 2 * g1 - g2;
  if (tail !== 0) {
    if (tail < COUNT_BYTES + g1) return undefined;
    const at = 2 * g1 + g2;
    const count = countOf(bytes.subarray(at, at + COUNT_BYTES), false);
    if (tail !== COUNT_BYTES + (count + 1) * g1) return undefined;
    if (count > 0) throw new FormError('proof.form', '', `the proof ${COMMITMENTS}`);
  }
  return readProofPoints(bytes, isCompressed, LAYOUT, ['Ar', 'Bs', 'Krs']);
}

/**
 * Reads a key of gnark's binary form: α, [β]₁, β, γ, [δ]₁, δ, the number of points K and these, and since gnark 0.9 what
 * it has of commitments.
 *
 * @returns The key for the engine; undefined for bytes of another length.
 * @throws FormError `key.*`
 */
export function gnarkBinaryKey(bytes: Uint8Array, isCompressed: boolean): Uint8Array | undefined {
  const scale = isCompressed ? 2 : 1;
  const [g1, g2] = [G1_BYTES / scale, G2_BYTES / scale];
  const head = 3 * g1 + 3 * g2;
  if (bytes.length < head + COUNT_BYTES + g1) return undefined;
  const count = countOf(bytes.subarray(head, head + COUNT_BYTES), false);
  const tail = bytes.length - head - COUNT_BYTES - count * g1;
  if (tail < 0) return undefined;
  if (tail > 0) {
    // The number of commitments, then their keys: since gnark 0.11 with a number before, in 0.9 and 0.10 one, used or not.
    const end = bytes.subarray(bytes.length - tail);
    const commitments = countOf(end.subarray(0, COUNT_BYTES), false);
    const isLong = tail === 2 * COUNT_BYTES || tail === COUNT_BYTES + 2 * g2;
    if (commitments > 0 && tail > COUNT_BYTES + 2 * g2)
      throw new FormError('key.protocol', '', `the key ${COMMITMENTS}`);
    if (commitments > 0 || !isLong) return undefined;
    if (tail === 2 * COUNT_BYTES && end.some((byte) => byte !== 0)) return undefined;
  }
  checkCount(count, 'K');
  const cursor = new ByteCursor(bytes);
  const key = new Uint8Array(G1_BYTES * (1 + count) + 3 * G2_BYTES);
  let offset = 0;
  const put = (parts: 1 | 2, name: string): void => {
    const point = readPoint(cursor.take(parts === 1 ? g1 : g2), parts, LAYOUT, name, KEY_CODES);
    key.set(point, offset);
    offset += point.length;
  };
  put(1, 'Alpha');
  cursor.take(g1);
  put(2, 'Beta');
  put(2, 'Gamma');
  cursor.take(g1);
  put(2, 'Delta');
  cursor.take(COUNT_BYTES);
  for (let index = 0; index < count; index++) put(1, `K[${index}]`);
  return key;
}

const WITNESS_HEAD = 3 * COUNT_BYTES;

/**
 * Returns the words of a public witness in gnark's binary form: the numbers of public and secret values and of all, then
 * the values, big-endian.
 *
 * @returns undefined for other bytes.
 */
export function gnarkWitness(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < WITNESS_HEAD || (bytes.length - WITNESS_HEAD) % WORD_BYTES !== 0) return undefined;
  const values = (bytes.length - WITNESS_HEAD) / WORD_BYTES;
  const [isPublic, secret, all] = [0, 1, 2].map((index) =>
    countOf(bytes.subarray(index * COUNT_BYTES, (index + 1) * COUNT_BYTES), false),
  );
  return isPublic === values && secret === 0 && all === values ? bytes.slice(WITNESS_HEAD) : undefined;
}
