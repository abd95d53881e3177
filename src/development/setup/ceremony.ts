import { createHash } from 'node:crypto';
// biome-ignore lint/style/noRestrictedImports: types only, nothing is loaded
import type { FileLike, Logger, MemoryFile } from 'snarkjs';
import { ServiceError } from '../../errors/index.ts';
import type { SetupTools } from './tools.ts';

/** Name of both contributions; it enters the bytes of the proving key (verify.md 10.2). */
const CONTRIBUTION_NAME = 'proofgate development setup v1';
/** The whole randomness of the setup, public on purpose: anyone can forge proofs under its key. */
const BEACON: string = createHash('sha256').update(CONTRIBUTION_NAME).digest('hex');
/** log2 of the number of beacon iterations, the least that snarkjs takes. */
const ITERATIONS_EXPONENT = 10;
/** 2^13 powers carry the 7,954 constraints of depth 30. */
const POWER = 13;

/** What a setup makes of the constraints. */
export interface Ceremony {
  /** The zkey, about 4.5 MB. */
  readonly provingKey: Uint8Array;
  /** The verifying key as snarkjs exports it. */
  readonly verificationKey: Readonly<Record<string, unknown>>;
}

/**
 * Both phases of a Groth16 setup, deterministic: beacon contributions only, so that every machine makes the same
 * bytes. The files between the steps stay in memory, about 30 MB.
 *
 * @param r1cs - Path of the constraints.
 * @param onMessage - Called with each message of snarkjs, which is how far the task is.
 * @throws ServiceError `circuit.setup_failed`
 */
export async function runCeremony(
  r1cs: string,
  { powersOfTau, zKey, curves }: SetupTools['snarkjs'],
  onMessage: (text: string) => void,
): Promise<Ceremony> {
  const logger: Logger = { debug: onMessage, info: onMessage, warn: onMessage, error: onMessage };
  const curve = await curves.getCurveFromName('bn128');
  try {
    const [start, contributed, prepared] = [memoryFile(), memoryFile(), memoryFile()];
    await powersOfTau.newAccumulator(curve, POWER, start, logger);
    await powersOfTau.beacon(start, contributed, CONTRIBUTION_NAME, BEACON, ITERATIONS_EXPONENT, logger);
    await powersOfTau.preparePhase2(contributed, prepared, logger);
    const [first, last] = [memoryFile(), memoryFile()];
    if ((await zKey.newZKey(r1cs, prepared, first, logger)) === -1) {
      throw new ServiceError('circuit.setup_failed', `the circuit does not fit 2^${POWER} powers of tau`);
    }
    await zKey.beacon(first, last, CONTRIBUTION_NAME, BEACON, ITERATIONS_EXPONENT, logger);
    const verificationKey = await zKey.exportVerificationKey(last, logger);
    return { provingKey: bytesOf(last), verificationKey };
  } finally {
    await curve.terminate();
  }
}

function memoryFile(): FileLike & MemoryFile {
  return { type: 'mem' };
}

function bytesOf(file: MemoryFile): Uint8Array {
  if (file.data === undefined) throw new ServiceError('circuit.setup_failed', 'snarkjs wrote no proving key');
  return file.data;
}
