import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError, ServiceError } from '../../errors/index.ts';
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
import { type Ceremony, runCeremony } from './ceremony.ts';
import { compileCircuit } from './compile.ts';
import { followSetup, type Milestone } from './milestones.ts';
import { findTools } from './tools.ts';
import { replaceFolder, withWorkFolder } from './work-folder.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** What a setup is given. */
export interface SetupOptions {
  readonly dataDir: string;
  /** Build although it is built. */
  readonly isForced: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when there is something to build, and on the way. */
  readonly onReached: (milestone: Milestone) => void;
}

/** A built circuit. */
export interface SetupResult {
  readonly files: CircuitFiles;
  readonly record: CircuitRecord;
  /** False when it had been built before. */
  readonly isNew: boolean;
}

/**
 * Builds witness code, proving key and verifying key of the circuit, unless they are there. Everything is made in
 * a folder of its own and renamed into place, so that an interrupted run leaves nothing that counts, and two runs
 * at once do not disturb each other.
 *
 * @throws ServiceError `circuit.tools_missing`, `circuit.compiler_failed`, `circuit.setup_failed`
 */
export async function setupCircuit(options: SetupOptions): Promise<SetupResult> {
  const { dataDir, isForced, now, onReached } = options;
  const folder = circuitFolder(dataDir);
  const files = circuitFilesIn(folder);
  const built = await readCircuitRecord(folder);
  if (built && !isForced) return { files, record: built, isNew: false };

  const tools = await findTools();
  return await asSetupFailure(
    withWorkFolder(circuitsFolder(dataDir), now(), async (work) => {
      const follow = followSetup(onReached);
      const compiled = await compileCircuit(work, tools);
      const ceremony = await runCeremony(compiled.r1cs, tools.snarkjs, follow);
      const result = join(work, 'result');
      const record = await writeResult(result, await readFile(compiled.witnessCode), ceremony);
      const isThere = !isForced && (await readCircuitRecord(folder)) !== undefined;
      // another run was faster: its bytes are the same, and somebody may be reading them
      if (!isThere) await replaceFolder(result, folder, work);
      return { files, record, isNew: true };
    }),
  );
}

/** What a file system or snarkjs throws becomes an error that says what was being done. */
async function asSetupFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isServiceError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('circuit.setup_failed', `the circuit was not built: ${reason}`, {}, { cause });
  }
}

/** The record comes last: a folder without it does not count. */
async function writeResult(
  folder: string,
  witnessCode: Uint8Array,
  { provingKey, verificationKey }: Ceremony,
): Promise<CircuitRecord> {
  await mkdir(folder, { mode: FOLDER_MODE });
  // It follows from the points and every reader computes it anew; the committed key has none either.
  const { vk_alphabeta_12: _, ...key } = verificationKey;
  const write = async (kind: CircuitFileKind, bytes: Uint8Array): Promise<FileDigest> => {
    await writeFile(join(folder, CIRCUIT_FILE_NAMES[kind]), bytes, { mode: FILE_MODE, flush: true });
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const record: CircuitRecord = {
    witnessCode: await write('witnessCode', witnessCode),
    provingKey: await write('provingKey', provingKey),
    verificationKey: await write('verificationKey', Buffer.from(`${JSON.stringify(key, null, 1)}\n`)),
  };
  await writeFile(join(folder, CIRCUIT_FILE_NAMES.record), `${JSON.stringify(record, null, 1)}\n`, {
    mode: FILE_MODE,
    flush: true,
  });
  return record;
}
