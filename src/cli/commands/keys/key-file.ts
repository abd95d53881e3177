import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../../errors/index.ts';
import type { DecodedKey } from '../../../membership/index.ts';
import { openInput } from '../../input/input-file.ts';
import type { CommandContext } from '../../program/command.ts';

const ZKEY_MAGIC = Buffer.from('zkey', 'latin1');
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** Of a zkey that comes as a stream, which has to be kept whole; one in a file may be of any size. */
const MAX_STREAMED_ZKEY_BYTES = 64 * 1024 * 1024;

/**
 * A verifying key of the command line: the text of a JSON file, or the key of a zkey, which is recognised by its
 * first bytes. `-` is standard input.
 *
 * @throws ServiceError `cli.usage` when the file is missing, a folder or too large; as `keyFromZkey` for a zkey
 */
export async function readKeyFile(path: string, context: CommandContext): Promise<string | DecodedKey> {
  if (path !== '-' && (await isZkeyFile(path))) return await decodeZkey(path);
  const bytes = await readStream(path, context);
  return startsAsZkey(bytes) ? await decodeZkey(bytes) : bytes.toString('utf8');
}

// The libraries that read a zkey are under the GPL, so that nothing else may load them.
async function decodeZkey(source: string | Uint8Array): Promise<DecodedKey> {
  const { keyFromZkey } = await import('../../../membership/keys/key-from-zkey.ts');
  return await keyFromZkey(source);
}

/** Whether a path is a regular file, which can be read at any place, and starts as a zkey. */
async function isZkeyFile(path: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    // openInput says what is wrong with it
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
