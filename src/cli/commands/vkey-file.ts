import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { ZkeyKey } from '../../membership/keys/key-from-zkey.ts';
import { openInput } from '../input/input-file.ts';
import type { CommandContext } from '../program/command.ts';

const ZKEY_MAGIC = Buffer.from('zkey', 'latin1');
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** Limit of a zkey from a stream, which is buffered completely; a zkey in a file may have any size. */
const MAX_STREAMED_ZKEY_BYTES = 64 * 1024 * 1024;

/**
 * Reads a verifying key named on the command line: returns the text of a JSON file, or the decoded key of a
 * zkey, which is recognized by its first bytes. `-` is standard input.
 *
 * @throws ServiceError `cli.usage` when the file is missing, a folder or too large; the errors of
 *   `keyFromZkey` for a zkey
 */
export async function readKeyFile(path: string, context: CommandContext): Promise<string | ZkeyKey> {
  if (path !== '-' && (await isZkeyFile(path))) return await decodeZkey(path);
  const bytes = await readStream(path, context);
  return startsAsZkey(bytes) ? await decodeZkey(bytes) : bytes.toString('utf8');
}

// Imported only here: the libraries that read a zkey are under the GPL and must stay out of the server.
async function decodeZkey(source: string | Uint8Array): Promise<ZkeyKey> {
  const { keyFromZkey } = await import('../../membership/keys/key-from-zkey.ts');
  return await keyFromZkey(source);
}

/** Whether a path is a regular file, which allows random access, and starts as a zkey. */
async function isZkeyFile(path: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    // openInput reports what is wrong with it
    return false;
  }
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZKEY_MAGIC.length), 0, ZKEY_MAGIC.length, 0);
    return startsAsZkey(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

async function readStream(path: string, context: CommandContext): Promise<Buffer> {
  let start = Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await openInput(path, context)) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    if (start.length < ZKEY_MAGIC.length)
      start = Buffer.concat([start, bytes.subarray(0, ZKEY_MAGIC.length)]);
    chunks.push(bytes);
    length += bytes.length;
    const isZkey = startsAsZkey(start);
    const limit = isZkey ? MAX_STREAMED_ZKEY_BYTES : MAX_JSON_BYTES;
    if (length > limit) {
      const hint = isZkey ? '; name the zkey as a file' : '';
      throw new ServiceError('cli.usage', `${path} is larger than ${limit} bytes${hint}`);
    }
  }
  return Buffer.concat(chunks, length);
}

function startsAsZkey(bytes: Uint8Array): boolean {
  return ZKEY_MAGIC.equals(bytes.subarray(0, ZKEY_MAGIC.length));
}
