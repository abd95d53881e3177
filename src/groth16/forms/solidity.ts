/** Forms of callers of Solidity verifiers, of G2 c1 before c0 (EIP-197), and those of Semaphore and ZoKrates. */
import type { JsonObject } from '../../json.ts';
import { PointCollector } from '../found.ts';
import { nameInArray } from './snarkjs.ts';

/** Words of a proof. */
const WORDS = 8;

/** Whether an array has the length of a proof as eight numbers. */
export function isEightNumbers(list: readonly unknown[]): boolean {
  return list.length === WORDS && !list.some((value) => Array.isArray(value));
}

/**
 * Finds the points in eight numbers: A.x, A.y, B.x.c1, B.x.c0, B.y.c1, B.y.c0, C.x, C.y.
 *
 * @param name - Name of the array for messages; empty if it is the proof itself.
 */
export function eightNumbers(list: readonly unknown[], name: string): PointCollector {
  const places = [
    [0, 1],
    [3, 2, 5, 4],
    [6, 7],
  ];
  const points = new PointCollector('proof.form', (point, coordinate = 0, part = 0) => {
    const place = places[point]?.[coordinate * (point === 1 ? 2 : 1) + part];
    return `${name}[${place ?? ''}]`;
  });
  for (const place of places) points.affine(...place.map((index) => list[index]));
  return points;
}

/**
 * Finds the points of a proof in the arguments of a Solidity verifier.
 *
 * @param names - Names of A, B and C for messages.
 * @throws FormError `proof.form`
 */
export function solidityArguments(
  proof: readonly [a: unknown, b: unknown, c: unknown],
  names: readonly [a: string, b: string, c: string],
): PointCollector {
  const points = new PointCollector('proof.form', (point, coordinate, part = 0) =>
    nameInArray(names[point] ?? '', point === 1, coordinate, 1 - part),
  );
  points.g1(proof[0], names[0]);
  points.g2(proof[1], names[1], 'c1');
  points.g1(proof[2], names[2]);
  return points;
}

const MEMBERS = [
  ['a', 'b', 'c'],
  ['pA', 'pB', 'pC'],
  ['_pA', '_pB', '_pC'],
] as const;

/** Finds the points of a proof in an object of such arguments; undefined for another object. @throws FormError */
export function solidityObject(proof: JsonObject): PointCollector | undefined {
  const names = MEMBERS.find((list) => list.every((name) => proof[name] !== undefined));
  return names && solidityArguments([proof[names[0]], proof[names[1]], proof[names[2]]], names);
}
