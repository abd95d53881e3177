import { describe, expect, it } from 'vitest';
import type { CryptoFunctions } from '../../../src/engine/backends/backend.ts';
import { findNative, loadBackend } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';
import { hashFunctions } from '../../../src/library/facade/crypto-functions.ts';
import { type BackendName, describeBackend } from '../../engine/support/describe-engine.ts';
import { bytes, CREDENTIALS } from '../../engine/support/vectors.ts';
import { R } from '../../support/crypto/bn254.ts';

async function loaded(backend: BackendName): Promise<CryptoFunctions> {
  const source = backend === 'native' ? findNative() : findWasm();
  if ('reason' in source) throw new Error(source.reason);
  return (await loadBackend(source)).functions;
}

describeBackend('poseidon, poseidon2 and eddsa', (backend) => {
  const core = loaded(backend);
  const { poseidon, poseidon2, eddsa } = hashFunctions(async (step) => step(await core));

  it('hash as the vectors say', async () => {
    for (const { inputs, output } of CREDENTIALS.poseidon_circomlib.hashes) {
      expect(await poseidon(inputs)).toBe(BigInt(output));
      expect(await poseidon(inputs.map(BigInt))).toBe(BigInt(output));
    }
    for (const { counting_input, output_of_counting_input } of CREDENTIALS.poseidon2.widths) {
      const state = counting_input.map(BigInt);
      expect(await poseidon2(state)).toEqual(output_of_counting_input.map(BigInt));
      expect(await poseidon2(state.map(Number))).toEqual(output_of_counting_input.map(BigInt));
    }
  });

  it('sign and verify as the vectors say', async () => {
    for (const row of CREDENTIALS.eddsa) {
      const [seed, compressed, signature] = [row.seed_hex, row.public_key_compressed, row.signature].map(
        bytes,
      );
      if (!seed || !compressed || !signature) return expect.fail('the vector is incomplete');
      const key = await eddsa.publicKey(seed);
      expect([String(key.x), String(key.y)]).toEqual(row.public_key);
      expect(key.bytes).toEqual(compressed);
      const message = BigInt(row.message);
      expect(Uint8Array.from(await eddsa.sign(seed, message))).toEqual(signature);
      expect(await eddsa.verify(compressed, message, signature)).toBe(true);
      expect(await eddsa.verify(compressed, message + 1n, signature)).toBe(false);
      // The core wipes the seed that it gets; the caller's is another one.
      expect(seed).toEqual(bytes(row.seed_hex));
    }
    for (const { why, public_key_compressed, message, signature } of CREDENTIALS.eddsa_invalid.rows) {
      const isValid = await eddsa.verify(bytes(public_key_compressed), BigInt(message), bytes(signature));
      expect(isValid, why).toBe(false);
    }
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['input.range', 'an element that is not below r', () => poseidon([R])],
    ['input.range', 'a message that is not below r', () => eddsa.sign(new Uint8Array(32), R)],
    ['input.range', 'a negative element', () => poseidon2([-1, 0])],
    ['input.form', 'a text that is no number', () => poseidon(['x'])],
    ['input.form', 'what is no list', () => poseidon('1' as unknown as [])],
    ['input.form', 'an element of another type', () => poseidon2([null as unknown as string, 1])],
    ['input.count', 'no elements', () => poseidon([])],
    ['hash.width', 'a state of a width that Poseidon2 does not have', () => poseidon2([1, 2, 3, 4, 5])],
    ['signing_key.length', 'a seed of another length', () => eddsa.sign(new Uint8Array(31), 1)],
    ['signing_key.length', 'a seed that is no bytes', () => eddsa.publicKey('seed' as unknown as Uint8Array)],
  ])('reject with %s %s', async (code, _what, step) => {
    await expect(step()).rejects.toMatchObject({ name: 'ProofgateError', code });
  });
});

describe('hashFunctions', () => {
  it('passes on an error that is no refusal of the core', async () => {
    const fault = new Error('unreachable');
    const { poseidon } = hashFunctions(() => Promise.reject(fault));
    await expect(poseidon([1])).rejects.toBe(fault);
  });
});
