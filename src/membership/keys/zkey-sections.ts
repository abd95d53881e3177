import { type FileHandle, open } from 'node:fs/promises';
import { isEqual } from '../../bytes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { G1_BYTES, G2_BYTES } from '../../groth16/layout.ts';

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

/** Returns the error for a file that is not a zkey or is damaged. */
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

/** Contributions to phase 2 of the setup that a zkey lists. */
export interface ZkeyContributions {
  readonly count: number;
  /** Number of them that are beacons, whose secret is public. */
  readonly beacons: number;
  /** Whether the last one ends with δ of the key. Otherwise the list belongs to another key. */
  readonly isOfKey: boolean;
}

/** Type of the section with the contributions. */
export const ZKEY_CONTRIBUTIONS = 10;
const HASH_BYTES = 64;
const HEAD_BYTES = HASH_BYTES + 4;
const DELTA_BYTES = 3 * G1_BYTES + G2_BYTES;
/** δ after it, its public key and transcript; then type and length of its parameters. */
const CONTRIBUTION_BYTES: number = DELTA_BYTES + HASH_BYTES + 4 + 4;
/** A name of 64 characters, and the hash of a beacon, whose length is one byte. */
const MAX_PARAMETER_BYTES = 1024;
const TYPES = { contribution: 0, beacon: 1 } as const;
/** Twenty thousand contributions; no ceremony had a tenth of them. */
const MAX_SECTION_BYTES = 8 * 1024 * 1024;

/**
 * Refuses a size of the section that is not to be read into memory.
 *
 * @throws ServiceError `key.not_zkey`
 */
export function checkContributionsSize(bytes: number): void {
  if (bytes > MAX_SECTION_BYTES)
    throw fault(`expected at most ${MAX_SECTION_BYTES} bytes of contributions, got ${bytes}`);
}

/**
 * Reads the list of contributions.
 *
 * @param section - Section 10: hash of the circuit, count, and for each contribution δ after it, its public key, its
 *   transcript, its type and its parameters.
 * @param delta - δ of the key in G1, in the encoding of the file.
 * @throws ServiceError `key.not_zkey`
 */
export function readContributions(section: Uint8Array, delta: Uint8Array): ZkeyContributions {
  const view = new DataView(section.buffer, section.byteOffset, section.byteLength);
  if (section.length < HEAD_BYTES)
    throw fault(`expected at least ${HEAD_BYTES} bytes, got ${section.length}`);
  const count = view.getUint32(HASH_BYTES, true);
  let at = HEAD_BYTES;
  let beacons = 0;
  let last: Uint8Array | undefined;
  for (let index = 0; index < count; index++) {
    const name = `contribution ${index + 1} of ${count}`;
    if (section.length - at < CONTRIBUTION_BYTES) throw fault(`it ends within ${name}`);
    last = section.subarray(at, at + G1_BYTES);
    const typeAt = at + DELTA_BYTES + HASH_BYTES;
    const type = view.getUint32(typeAt, true);
    if (type !== TYPES.contribution && type !== TYPES.beacon)
      throw fault(`${name}: expected type 0 or 1 (beacon), got ${type}`);
    if (type === TYPES.beacon) beacons += 1;
    const parameters = view.getUint32(typeAt + 4, true);
    at += CONTRIBUTION_BYTES;
    if (parameters > Math.min(MAX_PARAMETER_BYTES, section.length - at))
      throw fault(`${name}: ${parameters} bytes of parameters are too many`);
    at += parameters;
  }
  if (at !== section.length) throw fault(`${section.length - at} bytes follow the last contribution`);
  return { count, beacons, isOfKey: last !== undefined && isEqual(last, delta) };
}

/**
 * Returns why a list of contributions cannot make a key trustworthy, as the end of a sentence on the zkey; undefined if it
 * lists a contribution with a secret.
 */
export function contributionFault({ count, beacons, isOfKey }: ZkeyContributions): string | undefined {
  if (count === 0) return 'has no contribution: anyone can forge proofs under its key';
  if (!isOfKey) return 'lists contributions to another key than its own';
  if (beacons < count) return undefined;
  const whose =
    count === 1 ? 'its only contribution is a public beacon' : 'all contributions are public beacons';
  return `has no secret: ${whose}, from which anyone can compute delta and forge proofs`;
}

function fault(message: string): ReturnType<typeof malformedZkey> {
  return malformedZkey(`section ${ZKEY_CONTRIBUTIONS}: ${message}`);
}
