import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { KeyFormName } from '../../groth16/key.ts';
import type { DecodedKey } from '../../groth16/layout.ts';
import { decodeText } from '../../json.ts';
import { keyFrom } from '../../membership/keys/built-in-keys.ts';
import type { ZkeyKey } from '../../membership/keys/key-from-zkey.ts';
import { contributionFault, type ZkeyContributions } from '../../membership/keys/zkey-sections.ts';
import type { CommandContext } from '../program/command.ts';
import { openInput, readInput } from './input-file.ts';

const ZKEY_MAGIC = Buffer.from('zkey', 'latin1');
/** Maximum bytes of a key, a proof or public signals, other than a zkey. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;
/** Limit of a zkey from a stream, which is buffered completely; a zkey in a file may have any size. */
const MAX_STREAMED_ZKEY_BYTES = 64 * 1024 * 1024;

/** A verifying key of a file. */
export interface FileKey extends DecodedKey {
  readonly form: KeyFormName | 'zkey';
  /** Of a zkey: null if it has no list of them. */
  readonly contributions?: ZkeyContributions | null;
}

/**
 * Reads a verifying key named on the command line, in any form; a zkey is recognized by its first bytes, and a doubtful list
 * of its contributions is noted as a warning. `-` is standard input.
 *
 * @param depth - Depth of the tree whose key is taken from a file with the keys of several.
 * @throws ServiceError `cli.usage` when the file is missing, a folder or too large; `key.*`
 */
export async function readKeyFile(
  path: string,
  context: CommandContext,
  depth: number | undefined,
): Promise<FileKey> {
  const file = await readFormFile(path, context);
  if (!isZkeyKey(file)) return keyFrom(file, { depth });
  const { contributions } = file;
  const fault = contributions ? contributionFault(contributions) : undefined;
  if (fault !== undefined) context.note(`warning: the zkey ${fault}`);
  return { form: 'zkey', ...file };
}

/**
 * Reads a file with a key, a proof or public signals: the decoded key of a zkey, else what the readers of `src/groth16`
 * accept: a text of hex digits or base64, or the bytes.
 *
 * @throws ServiceError `cli.usage` when the file is missing, a folder or too large; the errors of `keyFromZkey`
 */
export async function readFormFile(
  path: string,
  context: CommandContext,
): Promise<ZkeyKey | string | Uint8Array> {
  if (path !== '-' && (await isZkeyFile(path))) return await decodeZkey(path);
  const bytes = await readStream(path, context);
  return startsAsZkey(bytes) ? await decodeZkey(bytes) : textOrBytes(bytes);
}

/** Reads a file with a proof or public signals, like `readFormFile`. @throws ServiceError `cli.usage` */
export async function readProofFile(path: string, context: CommandContext): Promise<string | Uint8Array> {
  return textOrBytes(await readInput(path, MAX_FORM_BYTES, context));
}

/** Whether a file had a zkey. */
export function isZkeyKey(file: ZkeyKey | string | Uint8Array): file is ZkeyKey {
  return typeof file === 'object' && 'inputCount' in file;
}

/** A text of hex digits or base64, with line breaks. */
const DIGITS = /^(?:0[xX])?[0-9A-Za-z+/=\s]+$/;

/** Returns the text of bytes that are one of hex digits or base64. JSON is left to its reader. */
function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  const text = decodeText(bytes)?.trim();
  if (text === undefined || !DIGITS.test(text)) return bytes;
  // More than one 0x are numbers, not the lines of one text.
  return /\s0[xX]/.test(text) ? text : text.replaceAll(/[\r\n]+/g, '');
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
    const limit = isZkey ? MAX_STREAMED_ZKEY_BYTES : MAX_FORM_BYTES;
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
