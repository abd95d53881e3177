import { be32 } from '../../test/support/crypto/bn254.ts';
import { scalarStream } from '../../test/support/crypto/trapdoor.ts';

/** Derives `count` field elements from a seed, 32 bytes big-endian each. */
export function fieldElements(seed: string, count: number): Uint8Array {
  const next = scalarStream(`bench:${seed}`);
  return Buffer.concat(Array.from({ length: count }, () => be32(next())));
}
