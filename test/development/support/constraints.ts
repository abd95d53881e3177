/**
 * A plain reader of the constraints that circom writes
 * (https://github.com/iden3/r1csfile/blob/master/doc/r1cs_bin_format.md). It checks whether the values of all
 * wires satisfy them, and shares no code with snarkjs.
 */
import { SCALAR_ORDER as R } from '../../../src/semaphore/words.ts';

/** A linear combination: factors by wire. */
type Combination = ReadonlyMap<number, bigint>;

/** a · b = c. */
export interface Constraint {
  readonly a: Combination;
  readonly b: Combination;
  readonly c: Combination;
}

/** Constraints over wires; wire 0 is the number 1, then outputs, public inputs, private inputs, the rest. */
export interface ConstraintSystem {
  readonly wireCount: number;
  readonly outputCount: number;
  readonly publicInputCount: number;
  readonly privateInputCount: number;
  readonly constraints: readonly Constraint[];
}

const HEADER = 1;
const CONSTRAINTS = 2;

function little(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

/** Reads an r1cs file. */
export function readConstraints(file: Buffer): ConstraintSystem {
  const sections = new Map<number, Buffer>();
  let at = 12;
  for (let count = file.readUInt32LE(8); count > 0; count--) {
    const size = Number(file.readBigUInt64LE(at + 4));
    sections.set(file.readUInt32LE(at), file.subarray(at + 12, at + 12 + size));
    at += 12 + size;
  }
  const header = sections.get(HEADER);
  const body = sections.get(CONSTRAINTS);
  if (!header || !body || file.toString('latin1', 0, 4) !== 'r1cs') throw new Error('not an r1cs file');
  const fieldBytes = header.readUInt32LE(0);
  if (little(header.subarray(4, 4 + fieldBytes)) !== R)
    throw new Error('expected an r1cs file over the scalar field of BN254');
  const number = (index: number): number => header.readUInt32LE(4 + fieldBytes + 4 * index);
  const constraintCount = header.readUInt32LE(4 + fieldBytes + 24);
  let position = 0;
  const combination = (): Combination => {
    const terms = new Map<number, bigint>();
    let left = body.readUInt32LE(position);
    for (position += 4; left > 0; left--) {
      const start = position + 4;
      terms.set(body.readUInt32LE(position), little(body.subarray(start, start + fieldBytes)));
      position = start + fieldBytes;
    }
    return terms;
  };
  const constraints = Array.from({ length: constraintCount }, () => ({
    a: combination(),
    b: combination(),
    c: combination(),
  }));
  return {
    wireCount: number(0),
    outputCount: number(1),
    publicInputCount: number(2),
    privateInputCount: number(3),
    constraints,
  };
}

/** Whether the values of all wires satisfy a constraint. */
export function isSatisfied({ a, b, c }: Constraint, wires: readonly bigint[]): boolean {
  const value = (terms: Combination): bigint => {
    let sum = 0n;
    for (const [wire, factor] of terms) sum += factor * (wires[wire] as bigint);
    return sum;
  };
  return (value(a) * value(b) - value(c)) % R === 0n;
}
