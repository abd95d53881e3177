import { type FileHandle, open } from 'node:fs/promises';
import { ServiceError } from '../../errors/index.ts';

/** First bytes of a zkey. */
export const ZKEY_MAGIC = 'zkey';
/** Version of the container, after the magic. */
export const ZKEY_VERSION = 1;
/** Protocol of section 1. */
export const ZKEY_GROTH16 = 1;
/** A zkey: its path, or all its bytes. */
export type ZkeySource = string | Uint8Array;

const PREFIX_BYTES = 12;
const ENTRY_BYTES = 12;
/** Groth16 has 10; the bound keeps a forged count from being walked. */
const MAX_SECTIONS = 64;

/** Returns the error for a file that is not a zkey, or is a damaged one. */
export function malformedZkey(message: string): ServiceError {
  return new ServiceError('key.not_zkey', `zkey: ${message}`);
}

/**
 * Walks the section headers and checks that the file contains the sections that they announce, without reading the
 * sections. The code that reads the sections afterwards trusts the headers.
 *
 * @throws ServiceError `key.not_zkey`
 */
export async function checkZkeySections(source: ZkeySource): Promise<void> {
  if (typeof source !== 'string') {
    await walk(source.length, (at) => Promise.resolve(source.subarray(at, at + ENTRY_BYTES)));
    return;
  }
  const file = await open(source, 'r');
  try {
    await walk((await file.stat()).size, (at) => readAt(file, at));
  } finally {
    await file.close();
  }
}

async function walk(size: number, read: (at: number) => Promise<Uint8Array>): Promise<void> {
  const prefix = await read(0);
  if (prefix.length < PREFIX_BYTES)
    throw malformedZkey(`the file ends after ${size} bytes, within its header`);
  if (Buffer.from(prefix.subarray(0, 4)).toString('latin1') !== ZKEY_MAGIC) {
    throw malformedZkey(`expected "${ZKEY_MAGIC}" in the first 4 bytes`);
  }
  const version = uint32(prefix, 4);
  if (version !== ZKEY_VERSION) throw malformedZkey(`expected version ${ZKEY_VERSION}, got ${version}`);
  const count = uint32(prefix, 8);
  if (count > MAX_SECTIONS) throw malformedZkey(`expected at most ${MAX_SECTIONS} sections, got ${count}`);
  const seen = new Set<number>();
  let at = PREFIX_BYTES;
  for (let index = 0; index < count; index++) {
    const entry = await read(at);
    if (entry.length < ENTRY_BYTES) {
      throw malformedZkey(`the file of ${size} bytes ends before section ${index + 1} of ${count}`);
    }
    const type = uint32(entry, 0);
    const bytes = new DataView(entry.buffer, entry.byteOffset).getBigUint64(4, true);
    at += ENTRY_BYTES;
    if (bytes > size - at) {
      throw malformedZkey(`section ${type} has ${bytes} bytes, but ${size - at} are left in the file`);
    }
    if (seen.has(type)) throw malformedZkey(`section ${type} occurs twice`);
    seen.add(type);
    at += Number(bytes);
  }
  if (at !== size) throw malformedZkey(`${size - at} bytes follow the last section`);
}

async function readAt(file: FileHandle, at: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(ENTRY_BYTES), 0, ENTRY_BYTES, at);
  return buffer.subarray(0, bytesRead);
}

function uint32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}
