import { statSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Holds a lock that belongs to a file and not to one of its names: a socket in the abstract namespace of Linux, named by
 * device and inode. Nothing of it is on disk, and the kernel frees it when the process ends. It is seen by processes of
 * one network namespace only, so that it comes in addition to a lock file.
 *
 * @param path - An existing file; links are followed.
 * @returns How to release it, or `taken` when another process holds it.
 */
export async function lockInode(path: string): Promise<(() => Promise<void>) | 'taken'> {
  const { dev, ino } = statSync(path, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  const fault = await new Promise<NodeJS.ErrnoException | undefined>((settle) => {
    server.once('error', settle);
    server.listen({ path: `\0proofgate-serve-${dev}-${ino}`, exclusive: true }, () => settle(undefined));
  });
  if (fault?.code === 'EADDRINUSE') return 'taken';
  // A sandbox without sockets of this family leaves the lock file.
  if (fault !== undefined) return () => Promise.resolve();
  server.on('error', () => undefined);
  server.unref();
  return () =>
    new Promise((settle) => {
      server.close(() => settle());
    });
}
