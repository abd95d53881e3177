import { describe, expect, it } from 'vitest';
import { readKey } from '../../src/groth16/key.ts';
import { readProof } from '../../src/groth16/proof.ts';
import { readSignals } from '../../src/groth16/signals.ts';
import { keyBytes, type SnarkjsKey } from '../engine/support/vectors.ts';
import {
  COMPRESSED_BYTES,
  KEY,
  KEY_TEXT,
  PROOF,
  PROOF_BYTES,
  SIGNAL_BYTES,
  SIGNALS,
} from '../library/support/semaphore-statement.ts';
import { be32, P } from '../support/crypto/bn254.ts';
import { refusalOf } from '../support/forms/refusal.ts';

const proofBytes = (source: unknown): Uint8Array => readProof(source).bytes;

describe('readProof', () => {
  it('encodes the object of snarkjs, with numbers in any form', () => {
    expect(proofBytes(PROOF)).toEqual(PROOF_BYTES);
    const { pi_a, pi_b, pi_c } = PROOF;
    const withBigints = { pi_a: pi_a.map((n) => BigInt(String(n))), pi_b, pi_c: [...pi_c.slice(0, 2), 1] };
    expect(proofBytes(withBigints)).toEqual(PROOF_BYTES);
    expect(proofBytes({ ...PROOF, curve: 'bn254' })).toEqual(PROOF_BYTES);
  });

  it('takes 256 bytes and the 128 of the compressed form', () => {
    expect(proofBytes(PROOF_BYTES)).toEqual(PROOF_BYTES);
    expect(proofBytes(COMPRESSED_BYTES)).toEqual(
      Uint8Array.from([...COMPRESSED_BYTES, ...new Uint8Array(128)]),
    );
  });

  it('reads no uncompressed form as a compressed one', () => {
    const code = 'proof.point_not_on_curve';
    const padded = proofBytes(COMPRESSED_BYTES);
    expect(refusalOf(() => proofBytes(padded))).toMatchObject({ code, isType: false });
    const [a, b1, b0, c] = Array.from({ length: 4 }, (_, index) => padded.slice(32 * index, 32 * index + 32));
    const object = {
      pi_a: [a, b1, 1],
      pi_b: [
        [c, b0],
        [0, 0],
        [1, 0],
      ],
      pi_c: [0, 0, 1],
    };
    expect(refusalOf(() => proofBytes(object))).toMatchObject({ code, isType: false });
  });

  it.each([0, 1, 64, 127, 129, 255, 257, 512])('refuses %s bytes', (length) => {
    expect(refusalOf(() => proofBytes(new Uint8Array(length)))?.code).toBe('proof.length');
  });

  it.each([[undefined], [null], [1], [[]], [true]])('refuses the type of %o', (value) => {
    expect(refusalOf(() => proofBytes(value))).toMatchObject({ code: 'proof.form', isType: true });
  });

  const { pi_a, pi_b, pi_c } = PROOF;
  it.each([
    ['pi_a', { pi_b, pi_c }, true],
    ['pi_b', { pi_a, pi_c }, true],
    ['pi_c', { pi_a, pi_b }, true],
    ['pi_a', { pi_a: [...pi_a, '1'], pi_b, pi_c }, false],
    ['pi_a', { pi_a: [...pi_a.slice(0, 2), '2'], pi_b, pi_c }, false],
    ['pi_a', { pi_a: pi_a.slice(0, 1), pi_b, pi_c }, false],
    ['pi_b[0]', { pi_a, pi_b: [pi_a, ...pi_b.slice(1)], pi_c }, false],
    ['pi_b[1]', { pi_a, pi_b: [pi_b[0], '1', pi_b[2]], pi_c }, true],
    ['pi_b', { pi_a, pi_b: [...pi_b.slice(0, 2), ['0', '1']], pi_c }, false],
    ['pi_b', { pi_a, pi_b: [...pi_b.slice(0, 2), ['1', '1']], pi_c }, false],
    ['protocol', { ...PROOF, protocol: 'plonk' }, false],
    ['curve', { ...PROOF, curve: 'bls12381' }, false],
    ['pi_a[0]', { ...PROOF, pi_a: ['x', ...pi_a.slice(1)] }, false],
  ])('refuses another %s', (path, proof, isType) => {
    expect(refusalOf(() => proofBytes(proof))).toEqual({ code: 'proof.form', isType, path });
  });

  it('leaves coordinates from p to the engine, and refuses those beyond 256 bits', () => {
    expect(proofBytes({ ...PROOF, pi_a: [P, ...pi_a.slice(1)] }).subarray(0, 32)).toEqual(
      Uint8Array.from(be32(P)),
    );
    const large = { ...PROOF, pi_a: [2n ** 256n, ...pi_a.slice(1)] };
    expect(refusalOf(() => proofBytes(large))?.code).toBe('proof.coordinate_range');
  });
});

describe('readSignals', () => {
  it('encodes a list of numbers and takes all of them as bytes', () => {
    expect(readSignals(SIGNALS, 4)).toEqual(SIGNAL_BYTES);
    expect(readSignals(SIGNALS.map(BigInt), 4)).toEqual(SIGNAL_BYTES);
    expect(readSignals(SIGNAL_BYTES, 4)).toEqual(SIGNAL_BYTES);
    expect(readSignals([], 0)).toEqual(new Uint8Array(0));
  });

  it('refuses another number of signals', () => {
    for (const signals of [SIGNALS.slice(1), [...SIGNALS, '1'], SIGNAL_BYTES.slice(1), new Uint8Array(160)]) {
      expect(refusalOf(() => readSignals(signals, 4))?.code).toBe('input.count');
    }
  });

  it('refuses what is no list, and names a signal that is no number', () => {
    for (const signals of [undefined, null, 'abcd', 4, { length: 4 }]) {
      expect(refusalOf(() => readSignals(signals, 4))).toMatchObject({ code: 'input.form', isType: true });
    }
    const named = refusalOf(() => readSignals([...SIGNALS.slice(0, 3), 'x'], 4));
    expect(named).toEqual({ code: 'input.form', isType: false, path: 'publicSignals[3]' });
    expect(refusalOf(() => readSignals([-1], 1))?.code).toBe('input.range');
    // An array with a hole has no number there.
    expect(refusalOf(() => readSignals(new Array(1), 1))).toMatchObject({
      code: 'input.form',
      isType: true,
    });
  });
});

describe('readKey', () => {
  it('decodes the JSON as text and as parsed', () => {
    const expected = { key: keyBytes(KEY as SnarkjsKey), inputCount: 4, form: 'snarkjs' };
    expect(readKey(KEY_TEXT)).toEqual(expected);
    expect(readKey(KEY)).toEqual(expected);
  });

  it.each([
    ['key.not_json', '{'],
    ['key.not_json', '[]'],
    ['key.not_json', undefined],
    ['key.protocol', { ...KEY, protocol: 'plonk' }],
    ['key.protocol', { ...KEY, curve: 'bls12381' }],
    ['key.not_json', { ...KEY, nPublic: 'four' }],
    ['key.input_count', { ...KEY, nPublic: 3 }],
    ['key.input_count', { ...KEY, IC: KEY.IC.slice(1) }],
    ['key.point_at_infinity', { ...KEY, vk_alpha_1: ['0', '1', '0'] }],
    ['key.coordinate_range', { ...KEY, vk_alpha_1: [String(2n ** 256n), '2', '1'] }],
    ['key.not_json', { ...KEY, vk_alpha_1: ['1', '2', '3'] }],
  ])('refuses with %s', (code, key) => {
    expect(refusalOf(() => readKey(key))?.code).toBe(code);
  });
});
