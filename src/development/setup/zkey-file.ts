import { createHash } from 'node:crypto';
import { FIELD_ORDER, G1_BYTES, G2_BYTES, WORD_BYTES } from '../../groth16/layout.ts';
import { ZKEY_GROTH16, ZKEY_MAGIC, ZKEY_VERSION } from '../../membership/keys/zkey-sections.ts';
import { SCALAR_ORDER } from '../../semaphore/words.ts';
import type { ConstraintSystem, Term } from './constraint-system.ts';
import type { ProvingKey } from './proving-key.ts';

const MONTGOMERY_BITS = 256n;
const MASK64 = 2n ** 64n - 1n;
const LEFT = 0;
const RIGHT = 1;

/**
 * Writes a proving key as a zkey for the prover of snarkjs: numbers little-endian, coordinates and factors in
 * Montgomery form, sections in the order in which `snarkjs zkey new` writes them.
 *
 * With δ = 1 the bytes are those of `snarkjs zkey new` over powers of the same τ, α and β. The list of contributions is
 * always empty, so `snarkjs zkey verify` refuses a key with another δ; proving needs no contribution.
 */
export function writeZkey(key: ProvingKey, system: ConstraintSystem): Buffer {
  const { wireCount, publicCount } = system;
  const section = (type: number, ...parts: readonly Uint8Array[]): Uint8Array[] => {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    return [uint32(type), uint64(BigInt(bytes)), ...parts];
  };
  const sections = [
    section(1, uint32(ZKEY_GROTH16)),
    section(
      2,
      uint32(WORD_BYTES),
      word(FIELD_ORDER),
      uint32(WORD_BYTES),
      word(SCALAR_ORDER),
      uint32(wireCount),
      uint32(publicCount),
      uint32(key.domainSize),
      g1(key.alpha1),
      g1(key.beta1),
      g2(key.beta2),
      g2(key.gamma2),
      g1(key.delta1),
      g2(key.delta2),
    ),
    section(4, factors(system)),
    section(3, g1(key.ic)),
    section(9, g1(key.h)),
    section(8, g1(key.c)),
    section(5, g1(key.a)),
    section(6, g1(key.b1)),
    section(7, g2(key.b2)),
    section(10, circuitHash(key), uint32(0)),
  ];
  return Buffer.concat([
    Buffer.from(ZKEY_MAGIC, 'latin1'),
    uint32(ZKEY_VERSION),
    uint32(sections.length),
    ...sections.flat(),
  ]);
}

/** Encodes the factors of the left and right sides, one row each: matrix, constraint, wire, factor. */
function factors({ constraints, publicCount }: ConstraintSystem): Buffer {
  const rows: Uint8Array[] = [];
  const add = (matrix: number, constraint: number, { wire, factor }: Term): void => {
    // Montgomery factor squared: the prover's product with a plain witness is then in Montgomery form.
    const value = (factor << (2n * MONTGOMERY_BITS)) % SCALAR_ORDER;
    rows.push(uint32(matrix), uint32(constraint), uint32(wire), word(value));
  };
  for (const [index, { a, b }] of constraints.entries()) {
    for (const term of a) add(LEFT, index, term);
    for (const term of b) add(RIGHT, index, term);
  }
  for (let wire = 0; wire <= publicCount; wire++) add(LEFT, constraints.length + wire, { wire, factor: 1n });
  return Buffer.concat([uint32(rows.length / 4), ...rows]);
}

/** Computes the circuit hash of snarkjs: BLAKE2b-512 over the points before any phase 2 contribution. */
function circuitHash({ alpha1, beta1, beta2, gamma2, ic, a, b1, b2, initial }: ProvingKey): Buffer {
  const hash = createHash('blake2b512');
  for (const point of [alpha1, beta1, beta2, gamma2, initial.delta1, initial.delta2]) hash.update(point);
  const lists = [
    [ic, G1_BYTES],
    [initial.quotientPowers, G1_BYTES],
    [initial.c, G1_BYTES],
    [a, G1_BYTES],
    [b1, G1_BYTES],
    [b2, G2_BYTES],
  ] as const;
  for (const [points, pointBytes] of lists) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(points.length / pointBytes);
    hash.update(count).update(points);
  }
  return hash.digest();
}

/** Encodes points of G1 for the file. */
function g1(points: Uint8Array): Buffer {
  return inMontgomeryForm(points);
}

/** Encodes points of G2 for the file: c0 before c1. */
function g2(points: Uint8Array): Buffer {
  const swapped = Buffer.alloc(points.length);
  for (let at = 0; at < points.length; at += 2 * WORD_BYTES) {
    swapped.set(points.subarray(at + WORD_BYTES, at + 2 * WORD_BYTES), at);
    swapped.set(points.subarray(at, at + WORD_BYTES), at + WORD_BYTES);
  }
  return inMontgomeryForm(swapped);
}

/** Converts each big-endian word to Montgomery form (times 2^256 modulo p), little-endian. */
function inMontgomeryForm(words: Uint8Array): Buffer {
  const from = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const to = Buffer.alloc(from.length);
  for (let at = 0; at < from.length; at += WORD_BYTES) {
    let value = 0n;
    for (let limb = 0; limb < 4; limb++) value = (value << 64n) | from.readBigUInt64BE(at + 8 * limb);
    writeWord((value << MONTGOMERY_BITS) % FIELD_ORDER, to, at);
  }
  return to;
}

function word(value: bigint): Buffer {
  const bytes = Buffer.alloc(WORD_BYTES);
  writeWord(value, bytes, 0);
  return bytes;
}

function writeWord(value: bigint, to: Buffer, at: number): void {
  for (let limb = 0; limb < 4; limb++) {
    to.writeBigUInt64LE((value >> BigInt(64 * limb)) & MASK64, at + 8 * limb);
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
