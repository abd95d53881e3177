import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError, ServiceError } from '../../errors/index.ts';
import { builtInKey, fingerprint, keyFromSnarkjs } from '../../membership/index.ts';
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
import { compileCircuit } from './compile.ts';
import { readConstraintSystem } from './constraint-system.ts';
import { computeProvingKey, type PointArithmetic, verificationKeyJson } from './proving-key.ts';
import { developmentSecrets } from './secrets.ts';
import { COMPILING, COMPUTING, type SetupStage, WRITING } from './stages.ts';
import { findTools } from './tools.ts';
import { replaceFolder, withWorkFolder } from './work-folder.ts';
import { writeZkey } from './zkey-file.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** What a setup is given. */
export interface SetupOptions {
  readonly dataDir: string;
  /** Build although it is built. */
  readonly isForced: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs the part that computes points; called only when there is something to build. */
  readonly withEngine: <T>(use: (engine: PointArithmetic) => Promise<T>) => Promise<T>;
  /** Called when there is something to build, and on the way; `workFolder` has what is not finished. */
  readonly onStage: (stage: SetupStage, workFolder: string) => void;
  /** Ends the setup early; what it has made so far is removed. */
  readonly signal?: AbortSignal;
}

/** A built circuit. */
export interface SetupResult {
  readonly files: CircuitFiles;
  readonly record: CircuitRecord;
  /** Fingerprint of its verifying key, which is that of dev-depth30. */
  readonly fingerprint: string;
  /** False when it had been built before. */
  readonly isNew: boolean;
}

/**
 * Builds witness code, proving key and verifying key of the circuit, unless they are there. Everything is made in
 * a folder of its own and renamed into place, so that an interrupted run leaves nothing that counts, and two runs
 * at once do not disturb each other.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.compiler_failed`, `circuit.setup_failed`,
 * `circuit.fingerprint_differs` when the verifying key, which is kept, is not the committed one
 */
export async function setupCircuit(options: SetupOptions): Promise<SetupResult> {
  const { dataDir, isForced } = options;
  const folder = circuitFolder(dataDir);
  const files = circuitFilesIn(folder);
  const built = isForced ? undefined : await readCircuitRecord(folder);
  const record = built ?? (await asSetupFailure(build(folder, options)));
  const { key } = keyFromSnarkjs(await readFile(files.verificationKey, 'utf8'));
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
    const isThere = !isForced && (await readCircuitRecord(folder)) !== undefined;
    // another run was faster: its bytes are the same, and somebody may be reading them
    if (!isThere) await replaceFolder(result, folder, work);
    return record;
  });
}

/** What a file system throws becomes an error that says what was being done. */
async function asSetupFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isServiceError(cause)) throw cause;
    const reason = messageOf(cause);
    throw new ServiceError('circuit.setup_failed', `the circuit was not built: ${reason}`, {}, { cause });
  }
}

/** The record comes last: a folder without it does not count. */
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
