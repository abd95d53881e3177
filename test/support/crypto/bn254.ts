/** Order of the scalar field of BN254. */
export const R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
/** Order of the base field of BN254. */
export const P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;

/** Encodes a value in 32 bytes, big-endian. */
export function be32(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}

/** Decodes big-endian bytes. */
export function fromBe(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

/** Reduces a value to 0 ≤ value < modulus. */
export function modulo(value: bigint, modulus: bigint): bigint {
  return ((value % modulus) + modulus) % modulus;
}

/** Inverts a value by the extended Euclidean algorithm, ten times as fast as a power; 0 if it has no inverse. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulo(value, modulus), modulus, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a % b, y, x - quotient * y];
  }
  return a === 1n ? modulo(x, modulus) : 0n;
}

/** The eight words of a proof. */
export type ProofWords = [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

/** Decodes words of 32 bytes, such as those of a proof or of its inputs. */
export function wordsOf(bytes: Uint8Array): bigint[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) =>
    fromBe(bytes.subarray(index * 32, index * 32 + 32)),
  );
}
