import { createHmac, randomBytes } from 'node:crypto';

/** Hash of a text: two signed 32-bit words. */
export interface TextHash {
  readonly low: number;
  readonly high: number;
}

// Initial state and finalization constants of HalfSipHash with 64 bits of output.
const V1 = 0xee;
const V2 = 0x6c796765;
const V3 = 0x74656462;
const BEFORE_LOW = 0xee;
const BEFORE_HIGH = 0xdd;
const SECRET_BYTES = 32;
const ROUNDS_PER_WORD = 2;
const FINAL_ROUNDS = 4;

/**
 * HalfSipHash-2-4 with 64 bits of output over the UTF-16 code units of a text, little-endian. Clients choose the texts,
 * and without the key they cannot choose two with the same hash, or many of one bucket.
 *
 * @see Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF", https://cr.yp.to/siphash/siphash-20120918.pdf;
 *   HalfSipHash is its variant with 32-bit words
 */
export class KeyedHash {
  readonly #key0: number;
  readonly #key1: number;

  /** @param key - 8 bytes, little-endian words; random and secret. */
  constructor(key: Uint8Array) {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#key0 = view.getInt32(0, true);
    this.#key1 = view.getInt32(4, true);
  }

  of(text: string): TextHash {
    let v0 = this.#key0;
    let v1 = this.#key1 ^ V1;
    let v2 = this.#key0 ^ V2;
    let v3 = this.#key1 ^ V3;
    let low = 0;
    const words = (text.length >> 1) + 1;
    // The steps after the words finalize, one for each half of the output.
    for (let step = 0; step < words + 2; step++) {
      const word = step < words ? wordOf(text, step) : 0;
      if (step === words) v2 ^= BEFORE_LOW;
      else if (step > words) {
        low = v1 ^ v3;
        v1 ^= BEFORE_HIGH;
      }
      v3 ^= word;
      for (let round = step < words ? ROUNDS_PER_WORD : FINAL_ROUNDS; round > 0; round--) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      v0 ^= word;
    }
    return { low, high: v1 ^ v3 };
  }
}

/** Returns two code units; the last word holds the rest and, in its highest byte, the length in bytes. */
function wordOf(text: string, index: number): number {
  const at = 2 * index;
  if (at + 1 < text.length) return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const rest = at < text.length ? text.charCodeAt(at) : 0;
  return rest | (text.length << 25);
}

/** Creates a secret for the hashes of a process, which never leaves it. */
export function createHashSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** Returns the hash of a name, so that equal texts under different names have different hashes. */
export function namedHash(secret: Uint8Array, name: string): KeyedHash {
  return new KeyedHash(createHmac('sha256', secret).update(name).digest());
}
