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
