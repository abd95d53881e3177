import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circuitFolder } from '../../../src/development/circuit-files.ts';
import { compileCircuit, findTools } from '../../../src/development/setup/compile.ts';
import type { Poseidon } from '../../../src/semaphore/hashes.ts';
import type { Identity } from '../../../src/semaphore/identity.ts';
import { pathBit, pathNodes, TREE_DEPTH } from '../../../src/semaphore/merkle-tree.ts';
import { numberOf, SCALAR_ORDER, wordOf } from '../../../src/semaphore/words.ts';

/** Type and length of section 1, which is 40 bytes long. */
const HEADER_SECTION: Buffer = Buffer.from('010000002800000000000000', 'hex');

const CACHE = fileURLToPath(new URL('../../../.cache/circuits/', import.meta.url));
const COMPILE = new URL('../../../src/development/setup/compile.ts', import.meta.url);
const [R1CS, WITNESS_CODE, CALCULATOR] = ['circuit.r1cs', 'circuit.wasm', 'witness_calculator.cjs'];

/** The compiled circuit. */
export interface CompiledCircuit {
  /** Path of the r1cs file. */
  readonly r1cs: string;
  /** Runs the witness code; rejects if a constraint of the circuit does not hold. */
  witness(input: WitnessInput): Promise<Witness>;
}

/** Object that the compiler's `witness_calculator.js` builds from the witness code. */
interface Calculator {
  calculateWTNSBin(input: object, sanityCheck: 0): Promise<Uint8Array>;
}

/**
 * Compiles the circuit as the setup does, which takes a few seconds: once for the same sources, tools and
 * `src/development/setup/compile.ts`, since the compiler writes the same bytes each time.
 */
export async function compiledCircuit(): Promise<CompiledCircuit> {
  const digest = createHash('sha256').update(readFileSync(COMPILE)).digest('hex').slice(0, 16);
  const folder = join(CACHE, `${basename(circuitFolder(''))}-${digest}`);
  if (!existsSync(folder)) await compileInto(folder);
  const build = createRequire(import.meta.url)(join(folder, CALCULATOR)) as (
    code: Uint8Array,
  ) => Promise<Calculator>;
  const calculator = await build(readFileSync(join(folder, WITNESS_CODE)));
  return {
    r1cs: join(folder, R1CS),
    witness: async (input) => witnessOf(await calculator.calculateWTNSBin(input, 0)),
  };
}

/** Compiles the circuit in a temporary folder, and moves what is needed to a folder that exists only when it is complete. */
async function compileInto(folder: string): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'proofgate-circuit-'));
  try {
    const { r1cs, witnessCode } = await compileCircuit(temporary, findTools());
    rmSync(CACHE, { recursive: true, force: true });
    mkdirSync(CACHE, { recursive: true });
    const complete = mkdtempSync(`${folder}.`);
    cpSync(r1cs, join(complete, R1CS));
    cpSync(witnessCode, join(complete, WITNESS_CODE));
    cpSync(join(dirname(witnessCode), 'witness_calculator.js'), join(complete, CALCULATOR));
    renameSync(complete, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
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
  /** Returns the values of all wires, the number 1 first. */
  wires(): readonly bigint[];
  /** The witness as a file of snarkjs. */
  readonly file: Uint8Array;
}

/** Reads a witness file of snarkjs. Its last section contains the wires, 32 bytes each, little-endian. */
function witnessOf(file: Uint8Array): Witness {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const header = view.indexOf(HEADER_SECTION) + HEADER_SECTION.length;
  const count = view.readUInt32LE(header + 36);
  const start = file.length - 32 * count;
  const wireAt = (wire: number): bigint =>
    numberOf(file.slice(start + 32 * wire, start + 32 * wire + 32).reverse());
  if (wireAt(0) !== 1n) throw new Error(`expected a witness with 1 in wire 0, got ${wireAt(0)}`);
  return {
    root: wireAt(1),
    nullifierHash: wireAt(2),
    signalHash: wireAt(3),
    externalNullifier: wireAt(4),
    wires: () => Array.from({ length: count }, (_, wire) => wireAt(wire)),
    file,
  };
}

/** Returns a witness file with one wire increased by one. */
export function withWireMoved(witness: Witness, wire: number): Uint8Array {
  const file = witness.file.slice();
  const wires = witness.wires();
  const value = wordOf(((wires[wire] as bigint) + 1n) % SCALAR_ORDER);
  file.set(value.reverse(), file.length - 32 * (wires.length - wire));
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
