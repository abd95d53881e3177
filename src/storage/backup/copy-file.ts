import { createHash } from 'node:crypto';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { FILE_MODE, isDatabase, markAsSingleFile } from './database-file.ts';
import type { CopyWatch } from './types.ts';

const CHUNK_BYTES = 1_048_576;

/**
 * Copies a database without writers into a new file of mode 0600, and makes it durable.
 *
 * @param owner - Owner of the new file, set through its descriptor: its name may lead to another file later.
 * @returns SHA-256 of the source, 64 hex digits.
 * @throws ServiceError `backup.damaged` if the source is not a database or has a log next to it;
 *   `backup.interrupted`
 */
export async function copyDatabaseFile(
  source: string,
  target: string,
  watch: CopyWatch,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<string> {
  const stats = await stat(source);
  if (!stats.isFile()) throw new ServiceError('backup.damaged', `${source} is not a file`);
  await refuseLogs(source);
  const from = await open(source, 'r');
  try {
    const to = await open(target, 'wx', FILE_MODE);
    try {
      if (owner !== undefined) await to.chown(owner.uid, owner.gid);
      const sha256 = await copyChunks(source, from, to, stats.size, watch);
      await to.sync();
      return sha256;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copyChunks(
  source: string,
  from: FileHandle,
  to: FileHandle,
  totalBytes: number,
  { onProgress, signal }: CopyWatch,
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let bytes = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, CHUNK_BYTES, bytes);
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    if (bytes === 0) {
      if (!isDatabase(chunk)) throw new ServiceError('backup.damaged', `${source} is not a database`);
      markAsSingleFile(chunk);
    }
    if (bytesRead === 0) return hash.digest('hex');
    await to.writeFile(chunk);
    bytes += bytesRead;
    onProgress?.({ bytes, totalBytes });
    if (signal?.aborted === true) throw new ServiceError('backup.interrupted');
  }
}

/** Refuses a file with a log: the changes in the log are missing in the file. A backup has no log. */
async function refuseLogs(source: string): Promise<void> {
  const path = await realpath(source);
  for (const log of [`${path}-wal`, `${path}-journal`]) {
    const stats = await stat(log).catch(() => undefined);
    if (stats !== undefined && stats.size > 0) {
      throw new ServiceError(
        'backup.damaged',
        `${source} is incomplete without ${log}: \`proofgate backup\` makes files without a log`,
      );
    }
  }
}
