import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** Largest file that is read again while the service runs: certificates, secrets and settings are far smaller. */
const MAX_BYTES = 4 * 1_048_576;

/**
 * Reads a file that may change under a running process.
 *
 * @throws Error of the system, or for a pipe, a device or a file above 4 MiB, which cannot be read a second time or
 *   would cost too much
 */
export async function readAgain(path: string): Promise<Buffer> {
  // Opening a pipe waits for its writer otherwise.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_BYTES) {
      throw new Error(`${path}: expected a file of at most ${MAX_BYTES} bytes`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Whether a path is a pipe, a socket or a device, whose content was gone when it had been read. */
export async function isStream(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** Returns a digest of the contents of files, by which a change of one of them is seen; it reveals no secret. */
export async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of new Set(paths)) {
    const content = await readAgain(path).catch((error: NodeJS.ErrnoException) => error.code ?? '');
    hash.update(createHash('sha256').update(content).digest());
    hash.update(typeof content === 'string' ? 'unreadable' : 'read');
  }
  return hash.digest('base64url');
}
