/** Changes of numbers within values of JSON. */
import { P } from '../crypto/bn254.ts';
import type { TextG1, TextG2 } from './statement.ts';

/** Replaces every text and number in nested arrays. */
export function deep(value: unknown, change: (leaf: string) => unknown): unknown {
  return Array.isArray(value)
    ? value.map((element: unknown) => deep(element, change))
    : change(String(value));
}

/** A number as `0x` and hex digits. */
export function hex(value: string): string {
  return `0x${BigInt(value).toString(16)}`;
}

/** A number as 64 hex digits. */
export function hex32(value: string): string {
  return `0x${BigInt(value).toString(16).padStart(64, '0')}`;
}

/** A point without its third coordinate. */
export function affine(point: TextG1 | TextG2): unknown[] {
  return point.slice(0, 2);
}

/** c1 before c0, as in Solidity. */
export function swapped(point: TextG2): unknown[] {
  return point.slice(0, 2).map(([c0, c1]) => [c1, c0]);
}

/**
 * A point with third coordinate z.
 *
 * @param powers - Of z in x and y: 1 and 1, or 2 and 3 as in snarkjs.
 */
export function projective(point: TextG1 | TextG2, z: bigint, powers: readonly [bigint, bigint]): unknown[] {
  const [x, y, one] = point;
  const scale = (value: unknown, power: bigint): unknown =>
    deep(value, (leaf) => String((BigInt(leaf) * z ** power) % P));
  return [scale(x, powers[0]), scale(y, powers[1]), scale(one, 1n)];
}
