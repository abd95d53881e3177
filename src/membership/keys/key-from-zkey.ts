// Replaces the reader of snarkjs: a damaged section, a coordinate above p or a point at infinity must be refused by
// name.

import { ServiceError } from '../../errors/service-error.ts';
import {
  checkFinite,
  checkInputCount,
  type DecodedKey,
  FIELD_ORDER,
  G1_BYTES,
  G2_BYTES,
  HEAD_BYTES,
  WORD_BYTES,
} from '../../groth16/layout.ts';
import { SCALAR_ORDER, wordOf } from '../../semaphore/words.ts';
import { decodeKey } from './built-in-keys.ts';
import {
  checkContributionsSize,
  checkZkeySections,
  malformedZkey,
  readContributions,
  ZKEY_CONTRIBUTIONS,
  ZKEY_GROTH16,
  ZKEY_MAGIC,
  ZKEY_VERSION,
  type ZkeyContributions,
  type ZkeySource,
} from './zkey-sections.ts';

/** q and r, each preceded by its length. */
const PRIMES_BYTES = 2 * (4 + WORD_BYTES);
const NAMED_PRIMES = [
  ['q', FIELD_ORDER],
  ['r', SCALAR_ORDER],
] as const;
/** The primes, then nVars, nPublic and domainSize. */
const PARAMETERS_BYTES: number = PRIMES_BYTES + 3 * 4;
/** Larger than for any curve; the exact size follows from the curve. */
const MAX_HEADER_BYTES = 4096;
const DELTA_IN_G1 = 'vk_delta_1';
/** Points of section 2 in their order; `name` is absent if the point is not part of a verifying key. */
const HEADER_POINTS: readonly HeaderPoint[] = [
  { member: 'vk_alpha_1', bytes: G1_BYTES, name: 'alpha' },
  { member: 'vk_beta_1', bytes: G1_BYTES },
  { member: 'vk_beta_2', bytes: G2_BYTES, name: 'beta' },
  { member: 'vk_gamma_2', bytes: G2_BYTES, name: 'gamma' },
  { member: DELTA_IN_G1, bytes: G1_BYTES },
  { member: 'vk_delta_2', bytes: G2_BYTES, name: 'delta' },
];

const HEADER_BYTES: number = HEADER_POINTS.reduce((sum, point) => sum + point.bytes, PARAMETERS_BYTES);

/** A verifying key from a zkey. */
export interface ZkeyKey extends DecodedKey {
  /** null if the file has no list of contributions; a zkey written by snarkjs has one. */
  readonly contributions: ZkeyContributions | null;
}

interface HeaderPoint {
  readonly member: string;
  readonly bytes: number;
  readonly name?: string;
}

/** The libraries that read a zkey; they are under the GPL and are loaded only when one is read. */
interface Libraries {
  readonly files: typeof import('@iden3/binfileutils');
  readonly fields: typeof import('ffjavascript');
}

/** The sections of an open file. */
interface Sections {
  has(type: number): boolean;
  /** @throws ServiceError `key.not_zkey` if there is no such section */
  size(type: number): number;
  read(type: number): Promise<Uint8Array>;
}

/**
 * Reads the verifying key of a proving key (zkey) and checks its form. Only the sections 1 to 3 and 10 are read, however
 * large the file is. `Engine.registerKey` checks that the points are on their curves and in the subgroup.
 *
 * @throws ServiceError `key.not_zkey`, `key.protocol`, `key.input_count`, `key.coordinate_range`,
 * `key.point_at_infinity`, `key.unsupported_file`; the message names the point.
 */
export async function keyFromZkey(source: ZkeySource): Promise<ZkeyKey> {
  const { files, fields } = await loadLibraries();
  await checkZkeySections(source);
  const { fd, sections } = await files.readBinFile(source, ZKEY_MAGIC, ZKEY_VERSION);
  const size = (type: number): number => {
    const found = sections[type]?.[0]?.size;
    if (found === undefined) throw malformedZkey(`section ${type} is missing`);
    return found;
  };
  const read = async (type: number): Promise<Uint8Array> => await files.readSection(fd, sections, type);
  try {
    return await decode({ has: (type) => sections[type] !== undefined, size, read }, fields);
  } finally {
    await fd.close();
  }
}

async function loadLibraries(): Promise<Libraries> {
  try {
    // biome-ignore-start lint/style/noRestrictedImports: loaded when a zkey is imported, and by that command only
    const [files, fields] = await Promise.all([import('@iden3/binfileutils'), import('ffjavascript')]);
    // biome-ignore-end lint/style/noRestrictedImports: see above
    return { files, fields };
  } catch (cause) {
    throw new ServiceError(
      'key.unsupported_file',
      'reading a zkey needs the packages @iden3/binfileutils and ffjavascript, which are not installed',
      {},
      { cause },
    );
  }
}

async function decode(sections: Sections, fields: Libraries['fields']): Promise<ZkeyKey> {
  if (sections.size(1) !== 4) throw malformedZkey(`section 1: expected 4 bytes, got ${sections.size(1)}`);
  const protocol = uint32(await sections.read(1), 0);
  if (protocol !== ZKEY_GROTH16) {
    throw new ServiceError('key.protocol', `zkey: expected protocol 1 (groth16), got ${protocol}`);
  }
  if (sections.size(2) > MAX_HEADER_BYTES) throw headerSize(sections.size(2));
  const header = await sections.read(2);
  checkPrimes(header, fields);
  if (header.length !== HEADER_BYTES) throw headerSize(header.length);
  const inputCount = uint32(header, PRIMES_BYTES + 4);
  decodeKey(() => checkInputCount(inputCount, sections.size(3) / G1_BYTES));
  const ic = await sections.read(3);

  const field = new fields.F1Field(FIELD_ORDER);
  const key = new Uint8Array(HEAD_BYTES + ic.length);
  const writePoint = (from: Uint8Array, member: string, to: Uint8Array): void => {
    const words = Array.from({ length: from.length / WORD_BYTES }, (_, index) => {
      const montgomery = fields.Scalar.fromRprLE(from, index * WORD_BYTES, WORD_BYTES);
      if (montgomery >= FIELD_ORDER) {
        throw new ServiceError('key.coordinate_range', `${member}: word ${index} is not below p`);
      }
      return wordOf(field.mul(montgomery, field.Ri));
    });
    // The file has Fp2 as c0, c1; a key has c1, c0.
    const order = words.length === 4 ? [1, 0, 3, 2] : [0, 1];
    for (const [index, source] of order.entries()) to.set(words[source] ?? [], index * WORD_BYTES);
  };
  let from = PARAMETERS_BYTES;
  let to = 0;
  let delta: Uint8Array = new Uint8Array();
  for (const { member, bytes, name } of HEADER_POINTS) {
    if (member === DELTA_IN_G1) delta = header.subarray(from, from + bytes);
    if (name !== undefined) {
      const target = key.subarray(to, to + bytes);
      writePoint(header.subarray(from, from + bytes), member, target);
      decodeKey(() => checkFinite(target, member, name));
      to += bytes;
    }
    from += bytes;
  }
  for (let index = 0; index <= inputCount; index++) {
    const at = index * G1_BYTES;
    writePoint(ic.subarray(at, at + G1_BYTES), `IC[${index}]`, key.subarray(to + at, to + at + G1_BYTES));
  }
  return { key, inputCount, contributions: await contributionsOf(sections, delta) };
}

async function contributionsOf(sections: Sections, delta: Uint8Array): Promise<ZkeyContributions | null> {
  if (!sections.has(ZKEY_CONTRIBUTIONS)) return null;
  checkContributionsSize(sections.size(ZKEY_CONTRIBUTIONS));
  return readContributions(await sections.read(ZKEY_CONTRIBUTIONS), delta);
}

/** Checks that q and r are those of bn128, the only curve that the engine supports. */
function checkPrimes(header: Uint8Array, { Scalar }: Libraries['fields']): void {
  let at = 0;
  for (const [name, expected] of NAMED_PRIMES) {
    if (header.length < at + 4 + WORD_BYTES) throw headerSize(header.length);
    const bytes = uint32(header, at);
    if (bytes !== WORD_BYTES) {
      throw new ServiceError('key.protocol', `zkey: ${name}: expected ${WORD_BYTES} bytes, got ${bytes}`);
    }
    if (Scalar.fromRprLE(header, at + 4, WORD_BYTES) !== expected) {
      throw new ServiceError('key.protocol', `zkey: ${name}: expected that of bn128 (BN254)`);
    }
    at += 4 + WORD_BYTES;
  }
}

function headerSize(bytes: number): ServiceError {
  return malformedZkey(`section 2: expected ${HEADER_BYTES} bytes, got ${bytes}`);
}

function uint32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}
