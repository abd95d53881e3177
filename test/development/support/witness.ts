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

/** Section 1, 40 bytes long. */
const HEADER_SECTION: Buffer = Buffer.from('010000002800000000000000', 'hex');

/** The circuit, compiled in a folder of its own. */
export interface FreshCircuit {
  /** Path of the constraints. */
  readonly r1cs: string;
  /** Runs the witness code; rejects where a constraint of the circuit does not hold. */
  witness(input: WitnessInput): Promise<Witness>;
  remove(): void;
}

/** What the compiler writes beside the witness code. */
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

/** Inputs of the circuit as its signals are named. */
export interface WitnessInput {
  readonly identityNullifier: bigint;
  readonly identityTrapdoor: bigint;
  readonly treePathIndices: readonly bigint[];
  readonly treeSiblings: readonly bigint[];
  readonly signalHash: bigint;
  readonly externalNullifier: bigint;
}

/** What the witness code computes. */
export interface Witness {
  readonly root: bigint;
  readonly nullifierHash: bigint;
  readonly signalHash: bigint;
  readonly externalNullifier: bigint;
  /** Values of all wires, the number 1 first. */
  readonly wires: readonly bigint[];
  /** The same as a file of snarkjs. */
  readonly file: Uint8Array;
}

/** Reads a file of snarkjs, whose last section has the wires, 32 bytes each, little-endian. */
function witnessOf(file: Uint8Array): Witness {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const header = view.indexOf(HEADER_SECTION) + HEADER_SECTION.length;
  const count = view.readUInt32LE(header + 36);
  const start = file.length - 32 * count;
  const wires = Array.from({ length: count }, (_, wire) =>
    numberOf(file.slice(start + 32 * wire, start + 32 * wire + 32).reverse()),
  );
  const [one, root, nullifierHash, signalHash, externalNullifier] = wires;
  if (one !== 1n) throw new Error('not a witness: wire 0 is 1 in every one');
  return { root, nullifierHash, signalHash, externalNullifier, wires, file } as Witness;
}

/** A witness file with one wire moved by one. */
export function withWireMoved(witness: Witness, wire: number): Uint8Array {
  const file = witness.file.slice();
  const value = wordOf(((witness.wires[wire] as bigint) + 1n) % SCALAR_ORDER);
  file.set(value.reverse(), file.length - 32 * (witness.wires.length - wire));
  return file;
}

/** The inputs that prove an identity at an index, beside these neighbours. */
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

/** The root of a leaf at an index beside these neighbours, by the formulas of the product. */
export async function rootOf(
  leaf: Uint8Array,
  index: number,
  siblings: readonly bigint[],
  poseidon: Poseidon,
): Promise<bigint> {
  const path = await pathNodes(leaf, index, siblings.map(wordOf), poseidon);
  return numberOf(path.at(-1) as Uint8Array);
}
