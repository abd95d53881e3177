import { cp, link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CIRCUIT_FILE_NAMES,
  type CircuitFiles,
  circuitFilesIn,
  circuitFolder,
  findCircuitFiles,
} from '../../../src/development/circuit-files.ts';

/** Data folder of a service that is started in the repository. */
const REPOSITORY_DATA: string = fileURLToPath(new URL('../../../.proofgate', import.meta.url));

/**
 * The circuit that `proofgate circuits setup` built in the repository; undefined where it has not run. A test that
 * needs it is skipped by name: `it.skipIf(developmentCircuit === undefined)(…)`.
 */
export const developmentCircuit: CircuitFiles | undefined = await findCircuitFiles(REPOSITORY_DATA);

/** End of the name of a test that is skipped where the circuit is not built. */
export const CIRCUIT_SKIP: string =
  developmentCircuit === undefined ? ' [skipped: `proofgate circuits setup` has not run here]' : '';

/**
 * Makes the circuit of the repository that of another data folder, by hard links where the file system allows it.
 * Throws where the circuit is not built.
 */
export async function linkDevelopmentCircuit(dataDir: string): Promise<CircuitFiles> {
  if (developmentCircuit === undefined) throw new Error('the circuit is not built here');
  const folder = circuitFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of Object.values(CIRCUIT_FILE_NAMES)) {
    const from = join(developmentCircuit.folder, name);
    const to = join(folder, name);
    await link(from, to).catch(() => cp(from, to));
  }
  return circuitFilesIn(folder);
}
