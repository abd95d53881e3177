/**
 * A constraint system of a few wires with its witness, and the files in which circom and snarkjs keep constraints,
 * witnesses and powers of τ. The layouts are implemented independently: no code is shared with the product.
 */
import { fromBe, P, R } from '../../support/crypto/bn254.ts';
import { littleEndian } from '../../support/crypto/make-zkey.ts';
import { groups, scalarStream } from '../../support/crypto/trapdoor.ts';

type Combination = readonly (readonly [wire: number, factor: bigint])[];

/** The circuit. Wire 1 is its output, wires 2 and 3 are public inputs, no constraint uses wire 5. */
export interface SmallCircuit {
  readonly wireCount: number;
  readonly publicCount: number;
  readonly constraints: readonly {
    readonly a: Combination;
    readonly b: Combination;
    readonly c: Combination;
  }[];
  /** Values of all wires that satisfy the constraints. */
  readonly witness: readonly bigint[];
}

const PUBLIC_COUNT = 3;
const INPUTS = [2, 3, 4, 5];
const UNUSED = 5;
const CONSTRAINTS = 9;

const mod = (value: bigint): bigint => ((value % R) + R) % R;
const uint32 = (value: number): Uint8Array => littleEndian(BigInt(value), 4);
const uint64 = (value: number): Uint8Array => littleEndian(BigInt(value), 8);

/** Makes the circuit of a seed: each constraint multiplies two combinations of earlier wires into a new one. */
export function smallCircuit(seed: string): SmallCircuit {
  const next = scalarStream(seed);
  const wireCount = INPUTS.length + 1 + CONSTRAINTS;
  const witness = new Array<bigint>(wireCount).fill(0n);
  witness[0] = 1n;
  for (const wire of INPUTS) witness[wire] = next();
  const known = [0, ...INPUTS.filter((wire) => wire !== UNUSED)];
  const pick = (): Combination => {
    const count = 1 + Number(next() % 3n);
    const wires = new Set(
      Array.from({ length: count }, () => known[Number(next() % BigInt(known.length))] ?? 0),
    );
    return [...wires].map((wire) => [wire, next()]);
  };
  const evaluate = (terms: Combination): bigint =>
    terms.reduce((sum, [wire, factor]) => mod(sum + factor * (witness[wire] as bigint)), 0n);
  const constraints = Array.from({ length: CONSTRAINTS }, (_, index) => {
    // the last constraint computes the output
    const wire = index === CONSTRAINTS - 1 ? 1 : INPUTS.length + 2 + index;
    const [a, b, factor] = [pick(), pick(), next()];
    witness[wire] = mod(evaluate(a) * evaluate(b) * inverse(factor));
    known.push(wire);
    return { a, b, c: [[wire, factor]] as Combination };
  });
  return { wireCount, publicCount: PUBLIC_COUNT, constraints, witness };
}

/** Writes the constraints in the format of circom. */
export function r1csFile({ wireCount, publicCount, constraints }: SmallCircuit): Uint8Array {
  const combination = (terms: Combination): Uint8Array[] => [
    uint32(terms.length),
    ...terms.flatMap(([wire, factor]) => [uint32(wire), littleEndian(factor)]),
  ];
  const privateInputs = INPUTS.length - (publicCount - 1);
  return sectionFile('r1cs', 1, [
    [
      1,
      uint32(32),
      littleEndian(R),
      uint32(wireCount),
      uint32(1),
      uint32(publicCount - 1),
      uint32(privateInputs),
      uint64(wireCount),
      uint32(constraints.length),
    ],
    [2, ...constraints.flatMap(({ a, b, c }) => [a, b, c].flatMap(combination))],
    [3, ...Array.from({ length: wireCount }, (_, wire) => uint64(wire))],
  ]);
}

/** Writes a witness in the format of snarkjs. */
export function witnessFile(wires: readonly bigint[]): Uint8Array {
  return sectionFile('wtns', 2, [
    [1, uint32(32), littleEndian(R), uint32(wires.length)],
    [2, ...wires.map((value) => littleEndian(value))],
  ]);
}

/** Writes powers of τ with these secrets, as of a ceremony without contributions, ready for `preparePhase2`. */
export async function powersFile(
  { tau, alpha, beta }: { readonly tau: bigint; readonly alpha: bigint; readonly beta: bigint },
  power: number,
): Promise<Uint8Array> {
  const { g1, g2 } = await groups();
  const size = 2 ** power;
  const powers: bigint[] = [];
  for (let value = 1n; powers.length < 2 * size - 1; value = mod(value * tau)) powers.push(value);
  const inG1 = (factor: bigint): Uint8Array => montgomeryPoint(g1(mod(factor)));
  const inG2 = (factor: bigint): Uint8Array => montgomeryPoint(g2(mod(factor)));
  const half = powers.slice(0, size);
  return sectionFile('ptau', 1, [
    [1, uint32(32), littleEndian(P), uint32(power), uint32(power)],
    [2, ...powers.map(inG1)],
    [3, ...half.map(inG2)],
    [4, ...half.map((value) => inG1(alpha * value))],
    [5, ...half.map((value) => inG1(beta * value))],
    [6, inG2(beta)],
    [7, uint32(0)],
  ]);
}

function inverse(value: bigint): bigint {
  let result = 1n;
  for (let [base, exponent] = [value, R - 2n]; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

/** Encodes coordinates in Montgomery form, little-endian, c0 before c1. */
function montgomeryPoint(point: Uint8Array): Uint8Array {
  const words = Array.from({ length: point.length / 32 }, (_, index) =>
    littleEndian((fromBe(point.subarray(32 * index, 32 * index + 32)) << 256n) % P),
  );
  const order = words.length === 4 ? [1, 0, 3, 2] : [0, 1];
  return Buffer.concat(order.map((index) => words[index] as Uint8Array));
}

function sectionFile(
  magic: string,
  version: number,
  sections: readonly (readonly [type: number, ...parts: Uint8Array[]])[],
): Uint8Array {
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(magic, 'latin1'),
      uint32(version),
      uint32(sections.length),
      ...sections.flatMap(([type, ...parts]) => {
        const bytes = Buffer.concat(parts);
        return [uint32(type), uint64(bytes.length), bytes];
      }),
    ]),
  );
}
