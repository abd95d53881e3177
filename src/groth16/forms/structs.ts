/**
 * Forms whose points are objects with `x` and `y`: those of garaga (hydra/garaga/starknet/groth16_contract_generator), of
 * G2 c0 before c1, and the struct of keys of Solidity verifiers, as MACI passes it (packages/domainobjs,
 * verifyingKey.ts), c1 before c0.
 */
import { isObject, type JsonObject } from '../../json.ts';
import { type NameOf, PointCollector } from '../found.ts';
import { MAX_INPUTS } from '../layout.ts';
import { addInputPoints } from './snarkjs.ts';

/** How a form names the parts of a key. */
interface KeyNames {
  readonly head: readonly [alpha: string, beta: string, gamma: string, delta: string];
  readonly inputs: string;
  readonly first: 'c0' | 'c1';
}

const GARAGA: KeyNames = {
  head: ['alpha_g1', 'beta_g2', 'gamma_g2', 'delta_g2'],
  inputs: 'ic',
  first: 'c0',
};
const SOLIDITY: KeyNames = { head: ['alpha1', 'beta2', 'gamma2', 'delta2'], inputs: 'ic', first: 'c1' };

/** Returns `[x, y]` for an object with these members, and any other value as it is. */
function arrayOf(point: unknown): unknown {
  if (!isObject(point)) return point;
  const { x, y } = point;
  return [x, y];
}

/** @param first - The part of G2 that comes first; undefined for G1. */
function nameInStruct(point: string, first?: 'c0' | 'c1', coordinate?: number, part = 0): string {
  if (coordinate === undefined) return point;
  const name = `${point}.${coordinate === 0 ? 'x' : 'y'}`;
  return first === undefined ? name : `${name}[${first === 'c0' ? part : 1 - part}]`;
}

/** Finds the points of a key of garaga or of a Solidity verifier; undefined for another object. @throws FormError */
export function structKey(
  file: JsonObject,
): { form: 'garaga' | 'solidity'; points: PointCollector } | undefined {
  // Once: an object of the library's caller may be its own member.
  const key = isObject(file.verifying_key) ? file.verifying_key : file;
  if (key.alpha_g1 !== undefined) return { form: 'garaga', points: keyOf(key, GARAGA) };
  if (key.alpha1 !== undefined) return { form: 'solidity', points: keyOf(key, SOLIDITY) };
  return undefined;
}

function keyOf(file: JsonObject, { head, inputs, first }: KeyNames): PointCollector {
  const nameOf: NameOf = (point, coordinate, part) =>
    nameInStruct(
      head[point] ?? `${inputs}[${point - head.length}]`,
      point > 0 && point < head.length ? first : undefined,
      coordinate,
      part,
    );
  const points = new PointCollector('key.not_json', nameOf);
  const [alpha, ...others] = head;
  points.g1(arrayOf(file[alpha]), alpha);
  for (const name of others) points.g2(arrayOf(file[name]), name, first);
  const list = file[inputs] ?? file[inputs.toUpperCase()];
  // A longer list is refused by its length, which may be that of billions of holes.
  const isShort = Array.isArray(list) && list.length <= MAX_INPUTS + 1;
  addInputPoints(points, isShort ? Array.from(list, arrayOf) : list, inputs);
  return points;
}

/** Finds the points of a proof of garaga: `a`, `b`, `c`; undefined for another object. @throws FormError */
export function garagaProof({ a, b, c }: JsonObject): PointCollector | undefined {
  if (!isObject(a) || !isObject(b) || !isObject(c)) return undefined;
  const names = ['a', 'b', 'c'];
  const nameOf: NameOf = (point, coordinate, part) =>
    nameInStruct(names[point] ?? '', point === 1 ? 'c0' : undefined, coordinate, part);
  const points = new PointCollector('proof.form', nameOf);
  points.g1(arrayOf(a), 'a');
  points.g2(arrayOf(b), 'b');
  points.g1(arrayOf(c), 'c');
  return points;
}
