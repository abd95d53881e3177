import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  plainSign,
  plainSigningKey,
  plainVerify,
  SUBGROUP_ORDER,
} from '../../bench/contenders/eddsa-poseidon2.ts';
import { FIELD_ORDER, poseidon2, poseidon2Constants } from '../../bench/contenders/poseidon2.ts';
import { bytes, CREDENTIALS, words } from '../engine/support/vectors.ts';

const { poseidon2: vectors, field } = CREDENTIALS;

describe('the plain JavaScript Poseidon2', () => {
  it.each(vectors.widths)('regenerates the constants of width $t', (width) => {
    const { external, internal, diagonal } = poseidon2Constants(width.t);
    expect(internal).toHaveLength(width.partial_rounds);
    expect(diagonal).toEqual(width.internal_diag_minus_one.map(BigInt));
    const ordered = [...external.slice(0, 4).flat(), ...internal, ...external.slice(4).flat(), ...diagonal];
    const digest = createHash('sha256')
      .update(words(ordered.map(String)))
      .digest('hex');
    expect(digest).toBe(width.constants_sha256);
  });

  it.each(vectors.widths)('computes the permutations of width $t', (width) => {
    expect(poseidon2(width.counting_input.map(BigInt))).toEqual(width.output_of_counting_input.map(BigInt));
    const ofZeros = poseidon2(Array.from({ length: width.t }, () => 0n));
    expect(ofZeros.slice(0, 2)).toEqual(width.output_of_zeros_0_1.map(BigInt));
  });

  it('refuses another width', () => {
    expect(() => poseidon2([1n])).toThrow(RangeError);
  });
});

describe('the plain JavaScript EdDSA over Poseidon2', () => {
  it.each(CREDENTIALS.eddsa)('derives key and signature of seed $seed_hex', (row) => {
    const key = plainSigningKey(bytes(row.seed_hex));
    expect(key.publicKey).toEqual(row.public_key.map(BigInt));
    expect(Buffer.from(key.compressed).toString('hex')).toBe(row.public_key_compressed);
    const signature = plainSign(key, BigInt(row.message));
    expect(Buffer.from(signature).toString('hex')).toBe(row.signature);
    expect(plainVerify(key.compressed, BigInt(row.message), signature)).toBe(true);
  });

  it.each(CREDENTIALS.eddsa_invalid.rows)('refuses: $why', (row) => {
    const answer = plainVerify(bytes(row.public_key_compressed), BigInt(row.message), bytes(row.signature));
    expect(answer).toBe(false);
  });

  it('has field and subgroup of the vectors', () => {
    expect([FIELD_ORDER, SUBGROUP_ORDER]).toEqual([field.P, field.babyjubjub_subgroup_order].map(BigInt));
  });
});
