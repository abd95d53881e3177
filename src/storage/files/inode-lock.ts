import { statSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Takes a lock that belongs to a file and not to one of its names: a socket in the abstract namespace of
 * Linux, named by device and inode. It leaves nothing on disk, and the kernel releases it when the process
 * ends. Only processes of the same network namespace see it, so it is used in addition to a lock file.
 *
 * @param path - An existing file; links are followed.
 * @returns A function that releases it, or `taken` if another process holds it.
 */
export async function lockInode(path: string): Promise<(() => Promise<void>) | 'taken'> {
  const { dev, ino } = statSync(path, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  const fault = await new Promise<NodeJS.ErrnoException | undefined>((settle) => {
    server.once('error', settle);
    server.listen({ path: `\0proofgate-serve-${dev}-${ino}`, exclusive: true }, () => settle(undefined));
  });
  if (fault?.code === 'EADDRINUSE') return 'taken';
  // In a sandbox without sockets of this family, the lock file alone has to do.
  if (fault !== undefined) return () => Promise.resolve();
  server.on('error', () => undefined);
  server.unref();
  return () =>
    new Promise((settle) => {
      server.close(() => settle());
    });
}
