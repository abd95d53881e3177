import { isEqual } from '../../bytes.ts';
import { G1_BYTES, G2_BYTES } from '../../groth16/index.ts';
import { malformedZkey } from './zkey-sections.ts';

/** Contributions to phase 2 of the setup that a zkey lists. */
export interface ZkeyContributions {
  readonly count: number;
  /** How many of them are beacons, whose secret is public. */
  readonly beacons: number;
  /** Whether the last one ends with δ of the key. A list without this is that of another key. */
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
