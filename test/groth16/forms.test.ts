import { describe, expect, it } from 'vitest';
import { FormError, WORD_BYTES } from '../../src/groth16/layout.ts';
import { signalBytesOf, writeNumberForm } from '../../src/groth16/number-form.ts';
import { proofBytesOf } from '../../src/groth16/proof.ts';
import { verifyingKeyOf } from '../../src/groth16/verifying-key.ts';
import { keyBytes } from '../engine/support/vectors.ts';
import {
  COMPRESSED_BYTES,
  KEY,
  KEY_TEXT,
  PROOF,
  PROOF_BYTES,
  SIGNAL_BYTES,
  SIGNALS,
} from '../library/support/semaphore-statement.ts';
import { be32, P, R } from '../support/crypto/bn254.ts';

/** Code of the refusal and whether the type is wrong; undefined if the step does not refuse. */
function refusalOf(step: () => unknown): { code: string; isType: boolean; path: string } | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const { code, isType, path } = error;
    return { code, isType, path };
  }
}

describe('writeNumberForm', () => {
  const CODES = { form: 'input.form', range: 'input.range' } as const;
  const write = (value: unknown): Uint8Array => {
    const word = new Uint8Array(WORD_BYTES);
    writeNumberForm(value, word, 'x', CODES);
    return word;
  };

  it.each([0n, 1n, 255n, 256n, 2n ** 53n - 1n, R - 1n, R, P, 2n ** 256n - 1n])(
    'writes %s in every form',
    (value) => {
      const expected = Uint8Array.from(be32(value));
      expect(write(value)).toEqual(expected);
      expect(write(String(value))).toEqual(expected);
      expect(write(expected)).toEqual(expected);
      if (value < 2n ** 53n) expect(write(Number(value))).toEqual(expected);
    },
  );

  it.each([-1n, -1, 2n ** 256n, String(2n ** 256n), '9'.repeat(10_000)])(
    'refuses %s as out of range',
    (value) => {
      expect(refusalOf(() => write(value))).toEqual({ code: 'input.range', isType: false, path: 'x' });
    },
  );

  it.each(['', ' 1', '1 ', '01', '00', '+1', '-1', '0x1', '1n', '1.0', '1e3', '١'])(
    'refuses the text "%s"',
    (value) => {
      expect(refusalOf(() => write(value))).toEqual({ code: 'input.form', isType: false, path: 'x' });
    },
  );

  it.each([2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the number %s', (value) => {
    expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: false });
  });

  it.each([[new Uint8Array(31)], [new Uint8Array(33)], [new Uint8Array(0)]])(
    'refuses %s, which is no word',
    (value) => {
      expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: false });
    },
  );

  it.each([[undefined], [null], [true], [{}], [['1']], [Symbol('1')], [() => 1]])(
    'refuses the type of %o',
    (value) => {
      expect(refusalOf(() => write(value))).toMatchObject({ code: 'input.form', isType: true });
    },
  );
});

describe('proofBytesOf', () => {
  it('encodes the object of snarkjs, with numbers in any form', () => {
    expect(proofBytesOf(PROOF)).toEqual(PROOF_BYTES);
    const { pi_a, pi_b, pi_c } = PROOF;
    const withBigints = { pi_a: pi_a.map((n) => BigInt(String(n))), pi_b, pi_c: [...pi_c.slice(0, 2), 1] };
    expect(proofBytesOf(withBigints)).toEqual(PROOF_BYTES);
    expect(proofBytesOf({ ...PROOF, curve: 'bn254' })).toEqual(PROOF_BYTES);
  });

  it('takes 256 bytes and the 128 of the compressed form', () => {
    expect(proofBytesOf(PROOF_BYTES)).toEqual(PROOF_BYTES);
    expect(proofBytesOf(COMPRESSED_BYTES)).toEqual(
      Uint8Array.from([...COMPRESSED_BYTES, ...new Uint8Array(128)]),
    );
  });

  it('reads no uncompressed form as a compressed one', () => {
    const code = 'proof.point_not_on_curve';
    const padded = proofBytesOf(COMPRESSED_BYTES);
    expect(refusalOf(() => proofBytesOf(padded))).toMatchObject({ code, isType: false });
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
    expect(refusalOf(() => proofBytesOf(object))).toMatchObject({ code, isType: false });
  });

  it.each([0, 1, 64, 127, 129, 255, 257, 512])('refuses %s bytes', (length) => {
    expect(refusalOf(() => proofBytesOf(new Uint8Array(length)))?.code).toBe('proof.length');
  });

  it.each([[undefined], [null], ['0x00'], [1], [[]], [true]])('refuses the type of %o', (value) => {
    expect(refusalOf(() => proofBytesOf(value))).toMatchObject({ code: 'proof.form', isType: true });
  });

  const { pi_a, pi_b, pi_c } = PROOF;
  it.each([
    ['pi_a', { pi_b, pi_c }, true],
    ['pi_b', { pi_a, pi_c }, true],
    ['pi_c', { pi_a, pi_b }, true],
    ['pi_a', { pi_a: pi_a.slice(0, 2), pi_b, pi_c }, false],
    ['pi_a', { pi_a: [...pi_a, '1'], pi_b, pi_c }, false],
    ['pi_a[2]', { pi_a: [...pi_a.slice(0, 2), '2'], pi_b, pi_c }, false],
    ['pi_a[2]', { pi_a: [...pi_a.slice(0, 2), '0'], pi_b, pi_c }, false],
    ['pi_c[2]', { pi_a, pi_b, pi_c: [...pi_c.slice(0, 2), '0'] }, false],
    ['pi_b[0]', { pi_a, pi_b: [pi_a, ...pi_b.slice(1)], pi_c }, false],
    ['pi_b[1]', { pi_a, pi_b: [pi_b[0], '1', pi_b[2]], pi_c }, true],
    ['pi_b[2][0]', { pi_a, pi_b: [...pi_b.slice(0, 2), ['0', '1']], pi_c }, false],
    ['pi_b[2][1]', { pi_a, pi_b: [...pi_b.slice(0, 2), ['1', '1']], pi_c }, false],
    ['protocol', { ...PROOF, protocol: 'plonk' }, false],
    ['curve', { ...PROOF, curve: 'bls12381' }, false],
    ['pi_a[0]', { ...PROOF, pi_a: ['x', ...pi_a.slice(1)] }, false],
  ])('refuses another %s', (path, proof, isType) => {
    expect(refusalOf(() => proofBytesOf(proof))).toEqual({ code: 'proof.form', isType, path });
  });

  it('leaves coordinates from p to the engine, and refuses those beyond 256 bits', () => {
    expect(proofBytesOf({ ...PROOF, pi_a: [P, ...pi_a.slice(1)] }).subarray(0, 32)).toEqual(
      Uint8Array.from(be32(P)),
    );
    const large = { ...PROOF, pi_a: [2n ** 256n, ...pi_a.slice(1)] };
    expect(refusalOf(() => proofBytesOf(large))?.code).toBe('proof.coordinate_range');
  });
});

describe('signalBytesOf', () => {
  it('encodes a list of numbers and takes all of them as bytes', () => {
    expect(signalBytesOf(SIGNALS, 4)).toEqual(SIGNAL_BYTES);
    expect(signalBytesOf(SIGNALS.map(BigInt), 4)).toEqual(SIGNAL_BYTES);
    expect(signalBytesOf(SIGNAL_BYTES, 4)).toEqual(SIGNAL_BYTES);
    expect(signalBytesOf([], 0)).toEqual(new Uint8Array(0));
  });

  it('refuses another number of signals', () => {
    for (const signals of [SIGNALS.slice(1), [...SIGNALS, '1'], SIGNAL_BYTES.slice(1), new Uint8Array(160)]) {
      expect(refusalOf(() => signalBytesOf(signals, 4))?.code).toBe('input.count');
    }
  });

  it('refuses what is no list, and names a signal that is no number', () => {
    for (const signals of [undefined, null, 'abcd', 4, { length: 4 }]) {
      expect(refusalOf(() => signalBytesOf(signals, 4))).toMatchObject({ code: 'input.form', isType: true });
    }
    const named = refusalOf(() => signalBytesOf([...SIGNALS.slice(0, 3), 'x'], 4));
    expect(named).toEqual({ code: 'input.form', isType: false, path: 'publicSignals[3]' });
    expect(refusalOf(() => signalBytesOf([-1], 1))?.code).toBe('input.range');
    // An array with a hole has no number there.
    expect(refusalOf(() => signalBytesOf(new Array(1), 1))).toMatchObject({
      code: 'input.form',
      isType: true,
    });
  });
});

describe('verifyingKeyOf', () => {
  it('decodes the JSON as text and as parsed', () => {
    const expected = { key: keyBytes(KEY), inputCount: 4 };
    expect(verifyingKeyOf(KEY_TEXT)).toEqual(expected);
    expect(verifyingKeyOf(KEY)).toEqual(expected);
  });

  it.each([
    ['key.not_json', '{'],
    ['key.not_json', '[]'],
    ['key.not_json', undefined],
    ['key.protocol', { ...KEY, protocol: 'plonk' }],
    ['key.protocol', { ...KEY, curve: 'bls12381' }],
    ['key.not_json', { ...KEY, nPublic: '4' }],
    ['key.input_count', { ...KEY, nPublic: 3 }],
    ['key.input_count', { ...KEY, IC: KEY.IC.slice(1) }],
    ['key.point_at_infinity', { ...KEY, vk_alpha_1: ['0', '1', '0'] }],
    ['key.coordinate_range', { ...KEY, vk_alpha_1: [String(2n ** 256n), '2', '1'] }],
    ['key.not_json', { ...KEY, vk_alpha_1: ['1', '2', '3'] }],
  ])('refuses with %s', (code, key) => {
    expect(refusalOf(() => verifyingKeyOf(key))?.code).toBe(code);
  });
});
