// Rules: spec/engine.md#self-test
import { describe, expect, it } from 'vitest';
import { isEqual } from '../../../src/bytes.ts';
import type { CryptoFunctions } from '../../../src/engine/backends/backend.ts';
import { findNative, loadBackend } from '../../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../../src/engine/backends/wasm.ts';
import { batchOf, MANY, selfTest, selfTestInLanes } from '../../../src/engine/self-test/self-test.ts';
import {
  EDDSA,
  INPUTS,
  KEY,
  OUTSIDE_G2,
  POSEIDON2_OF_COUNTING,
  PROOF,
  SECOND,
  THIRD,
} from '../../../src/engine/self-test/vectors.ts';
import { twistPointAt } from '../../support/crypto/curve-reference.ts';
import { describeBackend } from '../support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, PROOFS, word, words } from '../support/vectors.ts';

describe('the vectors of the self-test', () => {
  it('equal those of the test data', () => {
    const [row, second, third] = PROOFS;
    const [eddsa] = CREDENTIALS.eddsa;
    expect(KEY).toEqual(depthKey(30));
    expect([PROOF, INPUTS]).toEqual([row?.proof, row?.inputs]);
    expect(SECOND).toEqual({ proof: second?.proof, inputs: second?.inputs });
    expect(THIRD).toEqual({ compressed: third?.compressed?.slice(0, 128), inputs: third?.inputs });
    const outside = twistPointAt([2n, 1n]);
    expect(OUTSIDE_G2).toEqual(
      words([outside?.x[1], outside?.x[0], outside?.y[1], outside?.y[0]].map(String)),
    );
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

// A proof and four inputs.
const MEMBER_BYTES = 384;
// Verdict bytes of a backend.
const [VALID_BYTE, FALSE_BYTE] = [1, 2];

/** Answers whose eighth equals the seventh, as when lanes are confused. */
function withConfusedLane(answers: Uint8Array, bytesEach: number): Uint8Array {
  return answers.slice().copyWithin(7 * bytesEach, 6 * bytesEach, 7 * bytesEach);
}

describeBackend('the self-test', (backend) => {
  const load = (): CryptoFunctions => {
    const source = backend === 'native' ? findNative() : findWasm();
    if ('reason' in source) throw new Error(source.reason);
    return loadBackend(source).functions;
  };
  const flip = (answer: Uint8Array): Uint8Array =>
    answer.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
  const faults: readonly (readonly [string, (good: CryptoFunctions) => Partial<CryptoFunctions>])[] = [
    [
      'true and false proof',
      () => ({ verifyBatch: (_key, batch) => new Uint8Array(batch.length / MEMBER_BYTES) }),
    ],
    [
      'true and false proof',
      () => ({ verifyBatch: (_key, batch) => new Uint8Array(batch.length / MEMBER_BYTES).fill(VALID_BYTE) }),
    ],
    [
      'true and false proof',
      () => ({ verifyBatch: (_key, batch) => new Uint8Array(batch.length / MEMBER_BYTES).fill(FALSE_BYTE) }),
    ],
    [
      'true and false proof',
      () => ({ verifyEach: (_key, batch) => new Uint8Array(batch.length / MEMBER_BYTES).fill(VALID_BYTE) }),
    ],
    ['true and false proof', (good) => ({ prepareKey: (key) => good.prepareKey(key.subarray(1)) })],
    ['Poseidon2', (good) => ({ poseidon2: (width, states) => flip(good.poseidon2(width, states)) })],
    [
      'Poseidon2 in lanes',
      (good) => ({
        poseidon2: (width, states) => withConfusedLane(good.poseidon2(width, states), 32 * width),
      }),
    ],
    ['EdDSA', (good) => ({ publicKey: (handle) => flip(good.publicKey(handle)).fill(0, 64) })],
    ['EdDSA', (good) => ({ sign: (handle, messages) => flip(good.sign(handle, messages)) })],
    [
      'EdDSA in lanes',
      (good) => ({ sign: (handle, messages) => withConfusedLane(good.sign(handle, messages), 64) }),
    ],
    ['EdDSA', () => ({ verifySignature: () => false })],
    ['EdDSA in lanes', () => ({ verifySignature: () => true })],
  ];

  /** Functions that prepare the key once and verify the same batch once: the runs of a test differ in one answer only. */
  const remembering = (good: CryptoFunctions): CryptoFunctions => {
    const bound = Object.fromEntries(
      Object.entries(good).filter(([, value]) => typeof value === 'function'),
    ) as unknown as CryptoFunctions;
    const prepared = good.prepareKey(KEY.slice());
    const known = new Map<string, Uint8Array>();
    const once = (batch: Uint8Array, verdicts: () => Uint8Array, name: string): Uint8Array => {
      const call = `${name} ${Buffer.from(batch).toString('hex')}`;
      const answer = known.get(call) ?? verdicts();
      known.set(call, answer);
      return answer.slice();
    };
    return {
      ...bound,
      prepareKey: (key) => (isEqual(key, KEY) ? prepared : good.prepareKey(key)),
      releaseKey: (handle) => (handle === prepared ? undefined : good.releaseKey(handle)),
      verifyBatch: (key, batch, seed) => once(batch, () => good.verifyBatch(key, batch, seed), 'batch'),
      verifyEach: (key, batch) => once(batch, () => good.verifyEach(key, batch), 'each'),
    };
  };

  it('passes', async () => {
    expect(selfTest(load())).toBeUndefined();
    expect(selfTestInLanes(load())).toBeUndefined();
  });

  it('fails for a backend that confuses members of a batch', async () => {
    const good = remembering(load());
    for (const wrong of MANY.keys()) {
      const verifyBatch: CryptoFunctions['verifyBatch'] = (handle, batch, seed) => {
        const verdicts = good.verifyBatch(handle, batch, seed);
        if (batch.length === batchOf(MANY).length) verdicts[wrong] = (verdicts[wrong] as number) ^ 1;
        return verdicts;
      };
      expect(selfTestInLanes({ ...good, verifyBatch })).toBe(
        'batch of proofs: the answer differs from the vector',
      );
    }
  });

  it('names the function that a faulty backend gets wrong', async () => {
    const good = remembering(load());
    for (const [name, fault] of faults)
      expect(selfTestInLanes({ ...good, ...fault(good) })).toMatch(new RegExp(`^${name}:`));
  });
});
