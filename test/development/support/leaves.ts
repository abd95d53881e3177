import { be32 } from '../../support/crypto/trapdoor.ts';

/** A commitment that differs from every other number's. */
export function leaf(number: number): Uint8Array {
  return be32(BigInt(number) + 1000n);
}
