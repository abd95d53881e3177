import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makePackage } from '../../support/refresh/custody-package.ts';
import { judge } from './support/check.ts';

const MADE = makePackage({ seed: 'bit flips' });
const PARTS = Object.keys(MADE.fields);
const FLIPS = 150;

/** Draws a number below `limit` from a seed, so that a failing flip can be reproduced. */
function draw(seed: string, limit: number): number {
  return createHash('sha256').update(seed).digest().readUInt32BE(0) % limit;
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

describe('a package with one bit flipped', () => {
  it.each(PARTS)(`never passes: ${FLIPS} bits of %s`, async (part) => {
    const bytes = Buffer.from(MADE.fields[part] ?? '');
    for (let index = 0; index < FLIPS; index++) {
      const bit = draw(`${part} ${index}`, bytes.length * 8);
      const { text } = await judge(MADE, { [part]: flipped(bytes, bit) });
      expect(text, `bit ${bit} of ${part}`).not.toBe('passed');
    }
  });

  it('never passes: every bit of the signature', async () => {
    for (let bit = 0; bit < MADE.signature.length * 8; bit++) {
      const { text } = await judge(MADE, { 'hashes.sign': flipped(MADE.signature, bit) });
      expect(text, `bit ${bit}`).toBe('signature hashes.sign');
    }
  });

  it('passes without the flip', async () => {
    expect((await judge(MADE)).text).toBe('passed');
  });
});
