import { type DecodedKey, G1_BYTES, G2_BYTES, WORD_BYTES } from '../../groth16/layout.ts';
import type { JsonObject } from '../../json.ts';
import { numberOf } from '../../semaphore/words.ts';

/** Returns a key as snarkjs writes it: `keyFrom` decodes its JSON to the same bytes. */
export function snarkjsKeyOf({ key, inputCount }: DecodedKey): JsonObject {
  let offset = 0;
  const next = (size: number): Uint8Array => {
    offset += size;
    return key.subarray(offset - size, offset);
  };
  const g1 = (): readonly string[] => {
    const point = next(G1_BYTES);
    return isInfinity(point) ? ['0', '1', '0'] : [decimalOf(point, 0), decimalOf(point, 1), '1'];
  };
  const g2 = (): readonly (readonly string[])[] => {
    const point = next(G2_BYTES);
    // The words of a key are c1, c0; snarkjs writes c0, c1.
    const coordinate = (at: number): string[] => [decimalOf(point, at + 1), decimalOf(point, at)];
    const [zero, one] = [
      ['0', '0'],
      ['1', '0'],
    ];
    return isInfinity(point) ? [zero, one, zero] : [coordinate(0), coordinate(2), one];
  };
  return {
    protocol: 'groth16',
    curve: 'bn128',
    nPublic: inputCount,
    vk_alpha_1: g1(),
    vk_beta_2: g2(),
    vk_gamma_2: g2(),
    vk_delta_2: g2(),
    IC: Array.from({ length: inputCount + 1 }, g1),
  };
}

/** Returns a word of a point in decimal. */
function decimalOf(point: Uint8Array, word: number): string {
  return String(numberOf(point.subarray(word * WORD_BYTES, (word + 1) * WORD_BYTES)));
}

function isInfinity(point: Uint8Array): boolean {
  return point.every((byte) => byte === 0);
}
