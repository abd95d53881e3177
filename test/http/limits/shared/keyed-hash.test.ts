import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedHash } from '../../../../src/http/limits/shared/keyed-hash.ts';
import { casesOf } from '../../../support/cases.ts';

/** Returns the bytes of a hash as HalfSipHash writes them. */
function bytesOf(hash: KeyedHash, text: string): string {
  const { low, high } = hash.of(text);
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(low, 0);
  bytes.writeInt32LE(high, 4);
  return bytes.toString('hex');
}

const rotate = (word: bigint, bits: bigint): bigint =>
  ((word << bits) | (word >> (32n - bits))) & 0xffff_ffffn;

/** HalfSipHash-2-4 with 64 bits of output, as the paper describes SipHash, with the parameters of 32-bit words. */
function plainHash(key: Buffer, message: Buffer): string {
  const [k0, k1] = [BigInt(key.readUInt32LE(0)), BigInt(key.readUInt32LE(4))];
  let v: [bigint, bigint, bigint, bigint] = [k0, k1 ^ 0xeen, 0x6c796765n ^ k0, 0x74656462n ^ k1];
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      let [a, b, c, d] = v;
      a = (a + b) & 0xffff_ffffn;
      c = (c + d) & 0xffff_ffffn;
      b = rotate(b, 5n) ^ a;
      d = rotate(d, 8n) ^ c;
      a = rotate(a, 16n);
      c = (c + b) & 0xffff_ffffn;
      a = (a + d) & 0xffff_ffffn;
      b = rotate(b, 13n) ^ c;
      d = rotate(d, 7n) ^ a;
      c = rotate(c, 16n);
      v = [a, b, c, d];
    }
  };
  const padded = Buffer.concat([message, Buffer.alloc(4 - (message.length % 4))]);
  padded[padded.length - 1] = message.length;
  for (let at = 0; at < padded.length; at += 4) {
    const word = BigInt(padded.readUInt32LE(at));
    v[3] ^= word;
    rounds(2);
    v[0] ^= word;
  }
  const output = Buffer.alloc(8);
  v[2] ^= 0xeen;
  rounds(4);
  output.writeUInt32LE(Number(v[1] ^ v[3]), 0);
  v[1] ^= 0xddn;
  rounds(4);
  output.writeUInt32LE(Number(v[1] ^ v[3]), 4);
  return output.toString('hex');
}

const COUNTING = Buffer.from(Array.from({ length: 64 }, (_, index) => index));

describe('KeyedHash', () => {
  // Test vectors of the reference implementation of SipHash (`vectors_hsip64`): key and message are 0, 1, 2, …
  it.each([
    [0, '218d1f59b9b83cc8'],
    [2, '064f39ef7c50eb57'],
    [4, 'd5e78a175be52ea1'],
    [6, 'ce3e91358aa2bc25'],
    [32, '28709d46d811626c'],
    [62, 'f90b3ab572d46693'],
  ])('hashes %d bytes as the reference implementation does', (length, expected) => {
    const message = COUNTING.subarray(0, length);
    expect(bytesOf(new KeyedHash(COUNTING), message.toString('utf16le'))).toBe(expected);
    expect(plainHash(COUNTING, message)).toBe(expected);
  });

  it('equals the plain form for any key and text', () => {
    const key = fc.constant(null).map(() => randomBytes(8));
    fc.assert(
      fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (key, text) => {
        expect(bytesOf(new KeyedHash(key), text)).toBe(plainHash(key, Buffer.from(text, 'utf16le')));
      }),
      { numRuns: casesOf(500, 100) },
    );
  });
});
