import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { builtInKey, fingerprint, keyFrom } from '../../membership/keys/built-in-keys.ts';
import { messageOf } from '../../text.ts';
import {
  CIRCUIT_FILE_NAMES,
  type CircuitFileKind,
  type CircuitFiles,
  type CircuitRecord,
  circuitFilesIn,
  circuitFolder,
  circuitsFolder,
  type FileDigest,
  readCircuitRecord,
} from '../circuit-files.ts';
import { DEVELOPMENT_KEY } from '../trees.ts';
import { compileCircuit, findTools } from './compile.ts';
import { readConstraintSystem } from './constraint-system.ts';
import {
  computeProvingKey,
  developmentSecrets,
  type PointArithmetic,
  verificationKeyJson,
} from './proving-key.ts';
import { COMPILING, COMPUTING, type SetupStage, WRITING } from './stages.ts';
import { writeZkey } from './zkey-file.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Options of a setup. */
export interface SetupOptions {
  readonly dataDir: string;
  /** Builds the circuit even if it is already built. */
  readonly isForced: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Passes an engine to the computation of the points; called only for a build. */
  readonly withEngine: <T>(use: (engine: PointArithmetic) => Promise<T>) => Promise<T>;
  /** Called at the start of each stage of a build; `workFolder` contains the unfinished files. */
  readonly onStage: (stage: SetupStage, workFolder: string) => void;
  /** Aborts the setup and removes its partial files. */
  readonly signal?: AbortSignal;
}

/** A built circuit. */
export interface SetupResult {
  readonly files: CircuitFiles;
  readonly record: CircuitRecord;
  /** Fingerprint of its verifying key, equal to that of dev-depth30. */
  readonly fingerprint: string;
  /** False if the circuit was already built. */
  readonly isNew: boolean;
}

/**
 * Builds witness code, proving key and verifying key of the circuit, unless they exist. Files are written to a
 * temporary folder that is then renamed, so that an interrupted run leaves no partial circuit and concurrent runs do
 * not interfere.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.compiler_failed`, `circuit.setup_failed`,
 *   `circuit.fingerprint_differs` if the verifying key is not the committed one; the built files are kept
 */
export async function setupCircuit(options: SetupOptions): Promise<SetupResult> {
  const { dataDir, isForced } = options;
  const folder = circuitFolder(dataDir);
  const files = circuitFilesIn(folder);
  const built = isForced ? undefined : await readCircuitRecord(folder);
  const record = built ?? (await asSetupFailure(build(folder, options)));
  const { key } = keyFrom(await readFile(files.verificationKey, 'utf8'));
  const found = fingerprint(key);
  const committed = builtInKey(DEVELOPMENT_KEY)?.fingerprint;
  if (found !== committed) {
    throw new ServiceError(
      'circuit.fingerprint_differs',
      `expected ${committed} (circuits/${DEVELOPMENT_KEY}), got ${found} (${files.verificationKey})`,
    );
  }
  return { files, record, fingerprint: found, isNew: built === undefined };
}

async function build(folder: string, options: SetupOptions): Promise<CircuitRecord> {
  const { dataDir, isForced, now, withEngine, onStage, signal } = options;
  const tools = findTools();
  return await withWorkFolder(circuitsFolder(dataDir), now(), async (work) => {
    onStage(COMPILING, work);
    const compiled = await compileCircuit(work, tools, signal);
    onStage(COMPUTING, work);
    const system = readConstraintSystem(await readFile(compiled.r1cs));
    const key = await withEngine((engine) => computeProvingKey(system, developmentSecrets(), engine));
    signal?.throwIfAborted();
    onStage(WRITING, work);
    const result = join(work, 'result');
    const record = await writeResult(result, {
      witnessCode: await readFile(compiled.witnessCode),
      provingKey: writeZkey(key, system),
      verificationKey: Buffer.from(verificationKeyJson(key)),
    });
    signal?.throwIfAborted();
    const exists = !isForced && (await readCircuitRecord(folder)) !== undefined;
    // If another run was faster, its files are kept: they are identical and may be in use.
    if (!exists) await replaceFolder(result, folder, work);
    return record;
  });
}

/** Wraps any other error, such as one of the file system, in `circuit.setup_failed`. */
async function asSetupFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isServiceError(cause)) throw cause;
    const reason = messageOf(cause);
    throw new ServiceError('circuit.setup_failed', `the circuit was not built: ${reason}`, {}, { cause });
  }
}

/** Writes the record last: a folder without it counts as not built. */
async function writeResult(
  folder: string,
  files: Readonly<Record<CircuitFileKind, Uint8Array>>,
): Promise<CircuitRecord> {
  await mkdir(folder, { mode: FOLDER_MODE });
  const write = async (kind: CircuitFileKind): Promise<FileDigest> => {
    const bytes = files[kind];
    await writeFile(join(folder, CIRCUIT_FILE_NAMES[kind]), bytes, { mode: FILE_MODE, flush: true });
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const record: CircuitRecord = {
    witnessCode: await write('witnessCode'),
    provingKey: await write('provingKey'),
    verificationKey: await write('verificationKey'),
  };
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.record), `${JSON.stringify(record, null, 1)}\n`, {
    mode: FILE_MODE,
    flush: true,
  });
  return record;
}

const WORK_PREFIX = '.work-';
/** Far longer than a setup takes, so that no run removes the folder of one in progress. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Passes a new folder inside `parent` to `use` and removes it afterwards. Also removes folders of interrupted runs that
 * are older than a day.
 *
 * @param parent - Created if it is missing, for its owner only.
 * @param time - Milliseconds since the epoch.
 */
export async function withWorkFolder<T>(
  parent: string,
  time: number,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE });
  await removeAbandoned(parent, time);
  const work = await mkdtemp(join(parent, WORK_PREFIX));
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Renames the folder `from` to `to`, replacing an existing folder.
 *
 * @param work - Receives the replaced folder: a rename cannot overwrite a folder that is not empty.
 */
export async function replaceFolder(from: string, to: string, work: string): Promise<void> {
  for (;;) {
    try {
      await rename(to, join(work, `before-${randomBytes(4).toString('hex')}`));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    try {
      await rename(from, to);
      return;
    } catch (error) {
      // Another run renamed its folder in between: retry.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

async function removeAbandoned(parent: string, time: number): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const folder = join(parent, name);
    try {
      if (time - (await stat(folder)).mtimeMs > ABANDONED_AFTER_MS) await rm(folder, { recursive: true });
    } catch (error) {
      // The run that created it removed it in between.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
