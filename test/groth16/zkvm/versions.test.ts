import { readFileSync } from 'node:fs';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { taggedStruct } from '../../../src/groth16/zkvm/risc0.ts';
import { RISC0_VERSIONS, SP1_VERSIONS, selectorName } from '../../../src/groth16/zkvm/versions.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { be32 } from '../../support/crypto/bn254.ts';

type Point = readonly [string, string, ...unknown[]];
type G2 = readonly [Point, Point, ...unknown[]];
interface Key {
  readonly vk_alpha_1: Point;
  readonly vk_beta_2: G2;
  readonly vk_gamma_2: G2;
  readonly vk_delta_2: G2;
  readonly IC: readonly Point[];
}

const KEY = JSON.parse(
  readFileSync(new URL('../../../circuits/risc0/verification-key.json', import.meta.url), 'utf8'),
) as Key;

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));
const hashOf = (numbers: readonly string[]): Uint8Array =>
  sha256(Buffer.concat(numbers.map((number) => be32(BigInt(number)))));
const hashOfG1 = ([x, y]: Point): Uint8Array => hashOf([x, y]);
const hashOfG2 = ([[x0, x1], [y0, y1]]: G2): Uint8Array => hashOf([x1, x0, y1, y0]);

/** Digest of the verifying key: RiscZeroGroth16Verifier.sol of risc0/risc0-ethereum, verifier_key_digest. */
function keyDigest(): Uint8Array {
  let list: Uint8Array = new Uint8Array(32);
  for (const point of [...KEY.IC].reverse())
    list = taggedStruct('risc0_groth16.VerifyingKey.IC', [hashOfG1(point), list]);
  const points = [hashOfG1(KEY.vk_alpha_1), ...[KEY.vk_beta_2, KEY.vk_gamma_2, KEY.vk_delta_2].map(hashOfG2)];
  return taggedStruct('risc0_groth16.VerifyingKey', [...points, list]);
}

describe('the releases of RISC Zero', () => {
  it.each(RISC0_VERSIONS)('$name: the selector commits to root, control id and key', (row) => {
    const controlId = bytesOf(row.bn254ControlId).reverse();
    const digest = taggedStruct('risc0.Groth16ReceiptVerifierParameters', [
      bytesOf(row.controlRoot),
      controlId,
      keyDigest(),
    ]);
    expect(toHex(digest.subarray(0, 4))).toBe(row.selector);
  });
});

describe('selectorName', () => {
  it.each([
    ['0xa4594c59', 'sp1 v5.0.0'],
    ['0xA4594C59', 'sp1 v5.0.0'],
    ['0x4388a21c', 'sp1 v6.1.0'],
    ['0x73c457ba', 'risc0 v3.0'],
    ['0xd4e8ecd2', 'sp1 v5.0.0, PLONK'],
    ['0xffffffff', 'risc0, fake receipt of development'],
    ['0x242f9d5b', 'risc0 set verifier v0.9'],
    ['0x00000000', undefined],
    ['a4594c59', undefined],
    ['', undefined],
  ])('of %s is %s', (selector, name) => {
    expect(selectorName(selector)).toBe(name);
  });

  it('has one name per selector', () => {
    const rows = [...SP1_VERSIONS, ...RISC0_VERSIONS];
    for (const { selector, name } of rows) expect(selectorName(selector)).toBe(name);
    expect(new Set(rows.map(({ selector }) => selector)).size).toBe(rows.length);
  });
});
