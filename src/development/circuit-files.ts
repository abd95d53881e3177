import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../errors/service-error.ts';

/** Folder of the sources of the circuit; the same from `src` and from `dist`. */
export const SOURCE_FOLDER: string = fileURLToPath(new URL('../../circuits/semaphore', import.meta.url));
/** Entry source for the compiler; it includes the others. */
export const MAIN_SOURCE = 'semaphore-depth30.circom';
/** The only entropy of the setup, public on purpose: anyone can forge proofs under its key. */
export const SETUP_TEXT = 'proofgate development setup v2';
/** Packages whose versions determine the output of a setup. */
export const TOOL_PACKAGES: readonly string[] = ['circom2', 'circomlib'];
/** File names in the folder of a built circuit; the record is written last. */
export const CIRCUIT_FILE_NAMES: Readonly<Record<CircuitFileKind | 'record', string>> = {
  witnessCode: 'semaphore-depth30.wasm',
  provingKey: 'semaphore-depth30.zkey',
  verificationKey: 'verification-key.json',
  record: 'record.json',
};
const CIRCUIT_FILE_KINDS: readonly CircuitFileKind[] = ['witnessCode', 'provingKey', 'verificationKey'];
const MANIFEST = new URL('../../package.json', import.meta.url);
const HASH_DIGITS = 16;

/** Paths of a built circuit. */
export interface CircuitFiles {
  readonly folder: string;
  /** Witness code, a WebAssembly file. */
  readonly witnessCode: string;
  /** Proving key, a zkey of snarkjs. */
  readonly provingKey: string;
  /** Verifying key in snarkjs JSON. */
  readonly verificationKey: string;
}

/** Digests of the files of a built circuit; the sizes reveal a truncated file. */
export type CircuitRecord = Readonly<Record<CircuitFileKind, FileDigest>>;

/** The files of a built circuit, without its record. */
export type CircuitFileKind = 'witnessCode' | 'provingKey' | 'verificationKey';

/** Length and SHA-256 (lower-case hex) of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** Lists the names of the circuit's source files, sorted. */
export function sourceFiles(): string[] {
  return readdirSync(SOURCE_FOLDER)
    .filter((name) => name.endsWith('.circom'))
    .sort();
}

/** Returns the folder of the circuits in a data folder. */
export function circuitsFolder(dataDir: string): string {
  return join(dataDir, 'circuits');
}

/** Returns the folder of the circuit, named by a hash of the sources, the setup and the tool versions. */
export function circuitFolder(dataDir: string): string {
  const hash = createHash('sha256').update(`${SETUP_TEXT}\0`);
  for (const name of sourceFiles()) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(SOURCE_FOLDER, name)))
      .update('\0');
  }
  // The manifest of an installed server lists no tools: it neither builds nor finds circuits.
  const { devDependencies = {} } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as {
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  for (const name of TOOL_PACKAGES) hash.update(`${name}@${devDependencies[name]}\0`);
  return join(circuitsFolder(dataDir), `semaphore-depth30-${hash.digest('hex').slice(0, HASH_DIGITS)}`);
}

/** Returns the paths of a circuit's files in a folder; they need not exist. */
export function circuitFilesIn(folder: string): CircuitFiles {
  const { witnessCode, provingKey, verificationKey } = CIRCUIT_FILE_NAMES;
  return {
    folder,
    witnessCode: join(folder, witnessCode),
    provingKey: join(folder, provingKey),
    verificationKey: join(folder, verificationKey),
  };
}

/** Reads the record of a built circuit; undefined unless it exists and all file sizes match it. */
export async function readCircuitRecord(folder: string): Promise<CircuitRecord | undefined> {
  try {
    const text = await readFile(join(folder, CIRCUIT_FILE_NAMES.record), 'utf8');
    const record = JSON.parse(text) as CircuitRecord;
    for (const kind of CIRCUIT_FILE_KINDS) {
      const { size } = await stat(join(folder, CIRCUIT_FILE_NAMES[kind]));
      if (record[kind].bytes !== size) return undefined;
    }
    return record;
  } catch {
    // An unreadable record counts as absent: the setup rebuilds the circuit and reports the obstacle.
    return undefined;
  }
}

/** Finds the built circuit of a data folder; undefined unless it is completely built. */
export async function findCircuitFiles(dataDir: string): Promise<CircuitFiles | undefined> {
  const folder = circuitFolder(dataDir);
  return (await readCircuitRecord(folder)) && circuitFilesIn(folder);
}

/**
 * Returns the built circuit of a data folder.
 *
 * @throws ServiceError `circuit.not_built`
 */
export async function requireCircuitFiles(dataDir: string): Promise<CircuitFiles> {
  const files = await findCircuitFiles(dataDir);
  if (files === undefined) {
    throw new ServiceError(
      'circuit.not_built',
      `${circuitFolder(dataDir)} has no proving key: run \`proofgate circuits setup\` (seconds, once)`,
    );
  }
  return files;
}
