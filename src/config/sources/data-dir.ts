import { stat } from 'node:fs/promises';

/** Mode bits of the data folder, or undefined where there is none yet. */
export async function dataDirMode(dataDir: string): Promise<number | undefined> {
  try {
    return (await stat(dataDir)).mode & 0o7777;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
