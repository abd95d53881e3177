import { be32, scalarStream } from '../../test/support/crypto/trapdoor.ts';

/** `count` field elements, 32 bytes big-endian each, the same in every run. */
export function fieldElements(seed: string, count: number): Uint8Array {
  const next = scalarStream(`bench:${seed}`);
  return Buffer.concat(Array.from({ length: count }, () => be32(next())));
}
