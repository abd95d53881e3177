import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRAPDOOR_KEY } from '../../../src/development/worldid4/seed.ts';
import { proveByTrapdoor } from '../../../src/development/worldid4/trapdoor-proof.ts';
import type { Engine } from '../../../src/engine/index.ts';
import { builtInKey } from '../../../src/membership/index.ts';
import { loadBuiltInKey } from '../../../src/membership/keys/built-in-keys.ts';
import { toHex, wordOf } from '../../../src/semaphore/index.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import { scalarStream } from '../../support/crypto/trapdoor.ts';

interface Vector {
  readonly inputs: readonly string[];
  readonly a: string;
  readonly b: string;
  readonly proof_compressed: readonly string[];
}

const { keys } = JSON.parse(
  readFileSync(new URL('../../vectors/worldid4-proofs.json', import.meta.url), 'utf8'),
) as { readonly keys: { readonly 'trapdoor-15': { readonly vector: Vector } } };
const { inputs, a, b, proof_compressed } = keys['trapdoor-15'].vector;

/** A compressed proof as the engine takes it. */
function proofBytes(words: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...words, new Uint8Array(128)]);
}

describe('proveByTrapdoor', () => {
  let engine: Engine;

  beforeAll(async () => {
    ({ engine } = await startEngine({ workers: 0 }));
    const row = builtInKey(TRAPDOOR_KEY);
    if (row === undefined) throw new Error('no built-in key');
    await engine.registerKey(TRAPDOOR_KEY, (await loadBuiltInKey(row)).key);
  });
  afterAll(() => engine.close());

  it('makes the proof of the vector, compressed', () => {
    const words = proveByTrapdoor(inputs.map(BigInt), BigInt(a), BigInt(b));
    expect(words.map(toHex)).toEqual(proof_compressed);
  });

  it('makes proofs that hold for their inputs alone, whatever root and hint they need', async () => {
    const next = scalarStream('trapdoor proofs');
    const marks = new Set<number>();
    for (let round = 0; round < 16; round++) {
      const values = inputs.map(() => next());
      const words = proveByTrapdoor(values, next(), next());
      const [, , real] = words;
      marks.add((real?.at(-1) ?? 0) & 3);
      const proof = proofBytes(words);
      const given = Buffer.concat(values.map(wordOf));
      expect(await engine.verify(TRAPDOOR_KEY, proof, given)).toEqual({ ok: true });
      const [first = 0n, ...others] = values;
      const changed = Buffer.concat([first ^ 1n, ...others].map(wordOf));
      expect(await engine.verify(TRAPDOOR_KEY, proof, changed)).toEqual({ ok: false });
    }
    expect([...marks].sort()).toEqual([0, 1, 2, 3]);
  });
});
