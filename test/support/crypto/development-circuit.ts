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

/** Default data folder of a service started in the repository. */
const REPOSITORY_DATA: string = fileURLToPath(new URL('../../../.proofgate', import.meta.url));

/**
 * Files of the circuit that `proofgate circuits setup` built in the repository; undefined if it has not run.
 * A test that needs them is skipped by name: `it.skipIf(developmentCircuit === undefined)(…)`.
 */
export const developmentCircuit: CircuitFiles | undefined = await findCircuitFiles(REPOSITORY_DATA);

/** Suffix of the title of a test that is skipped when the circuit is not built. */
export const CIRCUIT_SKIP: string =
  developmentCircuit === undefined ? ' [skipped: `proofgate circuits setup` has not run here]' : '';

/**
 * Adds the circuit of the repository to another data folder, by hard links if the file system allows them.
 *
 * @throws Error when the circuit is not built
 */
export async function linkDevelopmentCircuit(dataDir: string): Promise<CircuitFiles> {
  if (developmentCircuit === undefined)
    throw new Error('the circuit is not built; run `proofgate circuits setup`');
  const folder = circuitFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of Object.values(CIRCUIT_FILE_NAMES)) {
    const from = join(developmentCircuit.folder, name);
    const to = join(folder, name);
    await link(from, to).catch(() => cp(from, to));
  }
  return circuitFilesIn(folder);
}
