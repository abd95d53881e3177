import type { JsonObject } from '../../json.ts';
import { type NameOf, PointCollector } from '../found.ts';
import { checkInputCount, FormError, MAX_INPUTS, quoted, typeName } from '../layout.ts';

/** Names of a curve, in capitals and without punctuation, as `curveOf` compares them. */
const CURVES: readonly string[] = ['BN128', 'BN254', 'ALTBN128'];
const MAX_CURVE_NAME = 64;

/**
 * Checks the name of a curve: `bn128`, `BN254`, `alt_bn128` and the like, or none.
 *
 * @throws FormError with `code`
 */
export function checkCurve(curve: unknown, code: 'proof.form' | 'key.protocol'): void {
  if (curve === 'bn128' || curve === undefined || curve === null) return;
  const name =
    typeof curve === 'string' && curve.length <= MAX_CURVE_NAME
      ? curve.toUpperCase().replace(/[^A-Z0-9]/g, '')
      : '';
  if (!CURVES.includes(name))
    throw new FormError(code, 'curve', `expected "bn128", also called "bn254", got ${quoted(curve)}`);
}

/** Checks the name of a proof system: `groth16` in any case, or none. @throws FormError with `code` */
export function checkProtocol(protocol: unknown, code: 'proof.form' | 'key.protocol'): void {
  if (protocol === 'groth16' || protocol === undefined || protocol === null) return;
  if (typeof protocol !== 'string' || protocol.toLowerCase() !== 'groth16')
    throw new FormError(code, 'protocol', `expected "groth16", got ${quoted(protocol)}`);
}

const PROOF_MEMBERS = ['pi_a', 'pi_b', 'pi_c'] as const;
const HEAD_MEMBERS = ['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2'] as const;

/** Names a point in an array, or a part of it. */
export function nameInArray(point: string, isG2: boolean, coordinate?: number, part?: number): string {
  if (coordinate === undefined) return point;
  return isG2 ? `${point}[${coordinate}][${part}]` : `${point}[${coordinate}]`;
}

/** Finds the points of a proof as snarkjs writes it: `pi_a`, `pi_b`, `pi_c`, of G2 c0 before c1. @throws FormError */
export function snarkjsProof(
  { protocol, curve, pi_a, pi_b, pi_c }: JsonObject,
  isLax: boolean,
): PointCollector {
  checkProtocol(protocol, 'proof.form');
  checkCurve(curve, 'proof.form');
  if (pi_a === undefined && pi_b === undefined && pi_c === undefined) {
    const others = 'Ar, Bs, Krs of gnark, a, b, c of Solidity or ZoKrates, or points of Semaphore';
    throw new FormError(
      'proof.form',
      '',
      `expected a proof with pi_a, pi_b, pi_c of snarkjs, ${others}`,
      true,
    );
  }
  const nameOf: NameOf = (point, coordinate, part) =>
    nameInArray(PROOF_MEMBERS[point] ?? '', point === 1, coordinate, part);
  const points = new PointCollector('proof.form', nameOf, isLax);
  points.g1(pi_a, 'pi_a');
  points.g2(pi_b, 'pi_b');
  points.g1(pi_c, 'pi_c');
  return points;
}

/**
 * Finds the points of a key as snarkjs writes it. `vk_alphabeta_12` is ignored: it follows from the others.
 *
 * @throws FormError
 */
export function snarkjsKey(file: JsonObject, isLax = false): PointCollector {
  checkProtocol(file.protocol, 'key.protocol');
  checkCurve(file.curve, 'key.protocol');
  if (HEAD_MEMBERS.every((name) => file[name] === undefined)) {
    const others = 'G1 and G2 of gnark, or alpha, beta, gamma, delta, gamma_abc of ZoKrates';
    throw new FormError(
      'key.not_json',
      '',
      `expected a key with ${HEAD_MEMBERS.join(', ')} of snarkjs, ${others}`,
      true,
    );
  }
  const nameOf: NameOf = (point, coordinate, part) =>
    nameInArray(
      HEAD_MEMBERS[point] ?? `IC[${point - HEAD_MEMBERS.length}]`,
      point > 0 && point < HEAD_MEMBERS.length,
      coordinate,
      part,
    );
  const points = new PointCollector('key.not_json', nameOf, isLax);
  for (const member of HEAD_MEMBERS) {
    if (member === 'vk_alpha_1') points.g1(file[member], member);
    else points.g2(file[member], member);
  }
  addInputPoints(points, file.IC, 'IC');
  return points;
}

/** Adds the points of the public inputs of a key. @throws FormError `key.input_count`, `key.not_json` */
export function addInputPoints(points: PointCollector, list: unknown, name: string): void {
  if (!Array.isArray(list))
    throw new FormError('key.not_json', name, `expected an array of points, got ${typeName(list)}`, true);
  const { length } = list;
  if (length < 1 || length > MAX_INPUTS + 1)
    throw new FormError('key.input_count', name, `expected 1 to ${MAX_INPUTS + 1} points, got ${length}`);
  for (let index = 0; index < length; index++) points.g1(list[index], `${name}[${index}]`);
}

/**
 * Checks the stated number of public inputs of a key, if there is one.
 *
 * @param count - Number of points for the inputs.
 * @throws FormError `key.input_count`, `key.not_json`
 */
export function checkStatedInputs(stated: unknown, count: number): void {
  if (stated === undefined || stated === null) return;
  const isText = typeof stated === 'string' && /^[0-9]{1,9}$/.test(stated);
  const number = isText ? Number(stated) : stated;
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw new FormError('key.not_json', 'nPublic', `expected a whole number, got ${quoted(stated)}`);
  checkInputCount(number, count);
}
