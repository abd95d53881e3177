import { be32 } from '../../support/crypto/bn254.ts';

/** Returns a commitment that is different for each number. */
export function leaf(number: number): Uint8Array {
  return be32(BigInt(number) + 1000n);
}
