import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileCircuit } from '../../../src/development/setup/compile.ts';
import { findTools } from '../../../src/development/setup/tools.ts';
import {
  type Identity,
  numberOf,
  type Poseidon,
  pathBit,
  pathNodes,
  SCALAR_ORDER,
  TREE_DEPTH,
  wordOf,
} from '../../../src/semaphore/index.ts';

/** Type and length of section 1, which is 40 bytes long. */
const HEADER_SECTION: Buffer = Buffer.from('010000002800000000000000', 'hex');

/** The circuit, compiled in its own folder. */
export interface FreshCircuit {
  /** Path of the r1cs file. */
  readonly r1cs: string;
  /** Runs the witness code; rejects if a constraint of the circuit does not hold. */
  witness(input: WitnessInput): Promise<Witness>;
  remove(): void;
}

/** Object that the compiler's `witness_calculator.js` builds from the witness code. */
interface Calculator {
  calculateWTNSBin(input: object, sanityCheck: 0): Promise<Uint8Array>;
}

/** Compiles the circuit as the setup does, which takes a few seconds. */
export async function compileFresh(): Promise<FreshCircuit> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-circuit-'));
  const { r1cs, witnessCode } = await compileCircuit(folder, findTools());
  const load = createRequire(import.meta.url);
  const build = load(join(dirname(witnessCode), 'witness_calculator.js')) as (
    code: Uint8Array,
  ) => Promise<Calculator>;
  const calculator = await build(readFileSync(witnessCode));
  return {
    r1cs,
    witness: async (input) => witnessOf(await calculator.calculateWTNSBin(input, 0)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Inputs of the circuit, by the names of its signals. */
export interface WitnessInput {
  readonly identityNullifier: bigint;
  readonly identityTrapdoor: bigint;
  readonly treePathIndices: readonly bigint[];
  readonly treeSiblings: readonly bigint[];
  readonly signalHash: bigint;
  readonly externalNullifier: bigint;
}

/** Result of the witness code. */
export interface Witness {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly signalHash: bigint;
  readonly externalNullifier: bigint;
  /** Values of all wires, the number 1 first. */
  readonly wires: readonly bigint[];
  /** The witness as a file of snarkjs. */
  readonly file: Uint8Array;
}

/** Reads a witness file of snarkjs. Its last section contains the wires, 32 bytes each, little-endian. */
function witnessOf(file: Uint8Array): Witness {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const header = view.indexOf(HEADER_SECTION) + HEADER_SECTION.length;
  const count = view.readUInt32LE(header + 36);
  const start = file.length - 32 * count;
  const wires = Array.from({ length: count }, (_, wire) =>
    numberOf(file.slice(start + 32 * wire, start + 32 * wire + 32).reverse()),
  );
  const [one, root, nullifierHash, signalHash, externalNullifier] = wires;
  if (one !== 1n) throw new Error(`expected a witness with 1 in wire 0, got ${one}`);
  return { root, nullifierHash, signalHash, externalNullifier, wires, file } as Witness;
}

/** Returns a witness file with one wire increased by one. */
export function withWireMoved(witness: Witness, wire: number): Uint8Array {
  const file = witness.file.slice();
  const value = wordOf(((witness.wires[wire] as bigint) + 1n) % SCALAR_ORDER);
  file.set(value.reverse(), file.length - 32 * (witness.wires.length - wire));
  return file;
}

/** Makes the inputs that prove an identity at an index with these siblings. */
export function witnessInput(
  { nullifier, trapdoor }: Identity,
  index: number,
  siblings: readonly bigint[],
  signalHash: bigint,
  externalNullifier: bigint,
): WitnessInput {
  return {
    identityNullifier: numberOf(nullifier),
    identityTrapdoor: numberOf(trapdoor),
    treePathIndices: Array.from({ length: TREE_DEPTH }, (_, level) => BigInt(pathBit(index, level))),
    treeSiblings: siblings,
    signalHash,
    externalNullifier,
  };
}

/** Computes the root of a leaf at an index with these siblings, by the product's formulas. */
export async function rootOf(
  leaf: Uint8Array,
  index: number,
  siblings: readonly bigint[],
  poseidon: Poseidon,
): Promise<bigint> {
  const path = await pathNodes(leaf, index, siblings.map(wordOf), poseidon);
  return numberOf(path.at(-1) as Uint8Array);
}
