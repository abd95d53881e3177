import { describe, expect, it } from 'vitest';
import { decompressedProof } from '../../../src/groth16/forms/compressed.ts';
import { PROOFS } from '../../engine/support/vectors.ts';

describe('the compressed form of the engine', () => {
  it('decompresses to the proof of each vector', () => {
    const compressed = PROOFS.filter(({ compressed: bytes }) => bytes !== undefined);
    expect(compressed.length).toBeGreaterThan(3);
    for (const { proof, compressed: bytes } of compressed)
      expect(Buffer.from(decompressedProof(Uint8Array.from(bytes ?? []).slice(0, 128)))).toEqual(
        Buffer.from(proof),
      );
  });

  it('refuses an x of no point, and words out of range', () => {
    const none = new Uint8Array(128).fill(0x11);
    for (const bytes of [none, new Uint8Array(128).fill(0xff)])
      expect(() => decompressedProof(bytes)).toThrow(
        expect.objectContaining({ code: 'proof.decompression' }),
      );
  });
});
