import { describe, expect, it } from 'vitest';
import type { CryptoFunctions } from '../../src/engine/backends/backend.ts';
import { loadBackend } from '../../src/engine/backends/load-backend.ts';
import { findNative } from '../../src/engine/backends/native.ts';
import { findWasm } from '../../src/engine/backends/wasm.ts';
import { selfTest } from '../../src/engine/self-test.ts';
import { EDDSA, INPUTS, KEY, POSEIDON2_OF_COUNTING, PROOF } from '../../src/engine/self-test-vectors.ts';
import { describeBackend } from './support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, PROOFS, word, words } from './support/vectors.ts';

describe('the vectors of the self-test', () => {
  it('are those of the data', () => {
    const [row] = PROOFS;
    const [eddsa] = CREDENTIALS.eddsa;
    expect(KEY).toEqual(depthKey(30));
    expect([PROOF, INPUTS]).toEqual([row?.proof, row?.inputs]);
    const width = CREDENTIALS.poseidon2.widths.find(({ t }) => t === 3);
    expect(POSEIDON2_OF_COUNTING).toEqual(words(width?.output_of_counting_input ?? []));
    expect(EDDSA).toEqual({
      seed: bytes(eddsa?.seed_hex as string),
      publicKey: bytes(eddsa?.public_key_compressed as string),
      message: word(eddsa?.message as string),
      signature: bytes(eddsa?.signature as string),
    });
  });
});

describeBackend('the self-test', (backend) => {
  const load = async (): Promise<CryptoFunctions> => {
    const source = backend === 'native' ? findNative() : findWasm();
    if ('reason' in source) throw new Error(source.reason);
    return (await loadBackend(source)).functions;
  };
  const flip = (answer: Uint8Array): Uint8Array =>
    answer.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
  const faults: readonly (readonly [string, (good: CryptoFunctions) => Partial<CryptoFunctions>])[] = [
    ['true and false proof', () => ({ verifyBatch: () => Uint8Array.of(0, 0) })],
    ['true and false proof', () => ({ verifyBatch: () => Uint8Array.of(1, 1) })],
    ['true and false proof', (good) => ({ prepareKey: (key) => good.prepareKey(key.subarray(1)) })],
    ['Poseidon2', (good) => ({ poseidon2: (width, states) => flip(good.poseidon2(width, states)) })],
    ['EdDSA', (good) => ({ publicKey: (handle) => flip(good.publicKey(handle)).fill(0, 64) })],
    ['EdDSA', (good) => ({ sign: (handle, messages) => flip(good.sign(handle, messages)) })],
    ['EdDSA', () => ({ verifySignature: () => false })],
  ];

  it('passes', async () => {
    expect(selfTest(await load())).toBeUndefined();
  });

  it('names what a faulty backend gets wrong', async () => {
    const good = await load();
    const bound = Object.fromEntries(
      Object.entries(good).filter(([, value]) => typeof value === 'function'),
    ) as unknown as CryptoFunctions;
    for (const [name, fault] of faults)
      expect(selfTest({ ...bound, ...fault(bound) })).toMatch(new RegExp(`^${name}:`));
  });
});
