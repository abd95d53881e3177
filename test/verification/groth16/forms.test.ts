// Rules: spec/verification.md#forms-of-proofs
import { describe, expect, it } from 'vitest';
import { proofBytes, type SnarkjsProof } from '../../../src/semaphore/snarkjs-forms.ts';
import { writeProofForm, writePublicSignals } from '../../../src/verification/groth16/forms.ts';
import { P, R } from '../../support/crypto/bn254.ts';
import { ENTRY, proofBytesOf, snarkjsForm } from '../support/groth16.ts';
import { type Fields, VECTORS } from '../support/vectors.ts';

const object = snarkjsForm(proofBytesOf(ENTRY));

/** Returns the bytes of a proof, or the code and message of its fault. */
function readProof(value: unknown): string {
  const target = new Uint8Array(256);
  const fault = writeProofForm(value, target);
  return fault === undefined ? Buffer.from(target).toString('hex') : `${fault.code} ${fault.message}`;
}

function readSignals(value: unknown, count = 1): string {
  const target = new Uint8Array(32 * count);
  const fault = writePublicSignals(value, count, target);
  return fault === undefined ? Buffer.from(target).toString('hex') : `${fault.code} ${fault.message}`;
}

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

describe('writeProofForm', () => {
  it('reads an object of snarkjs as the words of the interfaces', () => {
    for (const { proof } of VECTORS.slice(0, 20)) {
      const form = snarkjsForm(Buffer.from(proof.slice(2), 'hex'));
      expect(readProof(form)).toBe(proof.slice(2).toLowerCase());
      expect(readProof(form)).toBe(Buffer.from(proofBytes(form as unknown as SnarkjsProof)).toString('hex'));
    }
  });

  it.each<[string, Fields]>([
    ['without curve and protocol', { curve: undefined, protocol: undefined }],
    ['with the other name of the curve', { curve: 'bn254' }],
    ['with further members', { pi_d: 1, publicSignals: [] }],
    ['with third coordinates as numbers', { pi_a: [...object.pi_a.slice(0, 2), 1] }],
    ['with hex coordinates', { pi_a: [`0x${ENTRY.proof.slice(2, 66)}`, object.pi_a[1], '1'] }],
  ])('reads an object %s', (_, changes) => {
    expect(readProof({ ...object, ...changes })).toBe(ENTRY.proof.slice(2));
  });

  it('reads hex of either case, and pads a compressed proof with zero words', () => {
    expect(readProof(ENTRY.proof)).toBe(ENTRY.proof.slice(2));
    expect(readProof(`0X${ENTRY.proof.slice(2).toUpperCase()}`)).toBe(ENTRY.proof.slice(2));
    const compressed = ENTRY.proof_compressed.map((text) => text.slice(2)).join('');
    expect(readProof(`0x${compressed}`)).toBe(`${compressed}${'0'.repeat(256)}`);
  });

  it.each([
    ['null', null],
    ['a number', 5],
    ['an array', []],
    ['an empty object', {}],
    ['text without 0x', ENTRY.proof.slice(2)],
    ['hex with another character', `${ENTRY.proof.slice(0, -1)}g`],
    ['another curve', { ...object, curve: 'bls12381' }],
    ['curve null', { ...object, curve: null }],
    ['another protocol', { ...object, protocol: 'plonk' }],
    ['no pi_a', { ...object, pi_a: undefined }],
    ['two coordinates', { ...object, pi_a: object.pi_a.slice(0, 2) }],
    ['four coordinates', { ...object, pi_c: [...object.pi_c, '1'] }],
    ['pi_a at infinity', { ...object, pi_a: ['0', '1', '0'] }],
    ['projective coordinates', { ...object, pi_c: [...object.pi_c.slice(0, 2), '2'] }],
    ['pi_b with third coordinate [0, 1]', { ...object, pi_b: [...object.pi_b.slice(0, 2), ['0', '1']] }],
    ['pi_b with third coordinate [1, 1]', { ...object, pi_b: [...object.pi_b.slice(0, 2), ['1', '1']] }],
    ['flat pi_b', { ...object, pi_b: object.pi_a }],
    ['pi_b of a longer coordinate', { ...object, pi_b: [['1', '2', '3'], ...object.pi_b.slice(1)] }],
    ['a leading zero', { ...object, pi_a: [`0${object.pi_a[0]}`, object.pi_a[1], '1'] }],
    ['a negative coordinate', { ...object, pi_a: ['-1', object.pi_a[1], '1'] }],
    ['white space', { ...object, pi_a: [` ${object.pi_a[0]}`, object.pi_a[1], '1'] }],
    ['a boolean', { ...object, pi_a: [true, object.pi_a[1], '1'] }],
  ])('refuses %s as no form of a proof', (_, value) => {
    expect(readProof(value)).toMatch(/^proof\.format proof: /);
  });

  it.each([0, 127, 129, 255, 257, 128.5])('refuses hex of %d bytes', (bytes) => {
    expect(readProof(`0x${'1'.repeat(bytes * 2)}`)).toMatch(/^proof\.length /);
  });

  it('refuses a coordinate of 2^256 or more without parsing it', () => {
    for (const x of [String(1n << 256n), '9'.repeat(200_000)]) {
      expect(readProof({ ...object, pi_a: [x, object.pi_a[1], '1'] })).toMatch(/^proof\.coordinate_range /);
    }
    // The engine refuses a coordinate from p to 2^256 - 1.
    expect(readProof({ ...object, pi_a: [String(P), object.pi_a[1], '1'] })).toMatch(/^[0-9a-f]{512}$/);
  });

  it('refuses a point of two zeros: in bytes it would be infinity, or mark a compressed proof', () => {
    const zero = { pi_a: ['0', '0', '1'], pi_c: ['0', '0', '1'] };
    const zeroB = {
      pi_b: [
        ['0', '0'],
        ['0', '0'],
        ['1', '0'],
      ],
    };
    for (const [name, value] of Object.entries({ ...zero, ...zeroB })) {
      expect(readProof({ ...object, [name]: value })).toMatch(
        new RegExp(`^proof.point_not_on_curve ${name}:`),
      );
    }
  });

  it('never repeats what was sent', () => {
    const sent = ['secret', 'secret', '1'];
    expect(readProof({ ...object, pi_a: sent })).not.toContain('secret');
    expect(readProof('secret')).not.toContain('secret');
    expect(readSignals(['secret'])).not.toContain('secret');
  });
});

describe('writePublicSignals', () => {
  it.each([
    ['decimal text', '18', 18n],
    ['zero', '0', 0n],
    ['hex', '0x12', 18n],
    ['hex of 64 digits in upper case', `0X${word(R - 1n).toUpperCase()}`, R - 1n],
    ['hex with leading zeros', '0x0012', 18n],
    ['an integer', 18, 18n],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n],
    // refused by the engine, never reduced
    ['r', String(R), R],
    ['the largest word', String((1n << 256n) - 1n), (1n << 256n) - 1n],
  ])('writes %s', (_, value, expected) => {
    expect(readSignals([value])).toBe(word(expected));
  });

  it('writes signals in order, and none for a key without inputs', () => {
    expect(readSignals(['1', '2', 3], 3)).toBe([1n, 2n, 3n].map(word).join(''));
    expect(readSignals([], 0)).toBe('');
  });

  it.each([
    ['an empty text', ''],
    ['a leading zero', '01'],
    ['a sign', '-1'],
    ['a plus sign', '+1'],
    ['a fraction', '1.0'],
    ['an exponent', '1e3'],
    ['white space', ' 1'],
    ['other digits', '١'],
    ['hex without digits', '0x'],
    ['65 hex digits', `0x${'0'.repeat(65)}`],
    ['a negative number', -1],
    ['a fraction as number', 1.5],
    ['an unsafe integer', 2 ** 53],
    ['null', null],
    ['a boolean', true],
    ['an array', ['1']],
  ])('refuses %s', (_, value) => {
    expect(readSignals([value])).toMatch(/^input\.format publicSignals\[0\]: /);
  });

  it('refuses what is no array', () => {
    expect(readSignals('1')).toMatch(/^input\.format publicSignals: /);
    expect(readSignals({ 0: '1', length: 1 })).toMatch(/^input\.format /);
    expect(readSignals(undefined, 0)).toMatch(/^input\.format /);
  });

  it('refuses another number of signals before it reads them', () => {
    expect(readSignals([], 1)).toBe('input.count publicSignals: expected 1 of them, got 0');
    expect(readSignals([null, null], 1)).toMatch(/^input\.count /);
    expect(readSignals(['1'], 0)).toMatch(/^input\.count /);
  });

  it('refuses 2^256 and more as out of range, however long the text is', () => {
    for (const text of [String(1n << 256n), '1'.repeat(79), '9'.repeat(500_000)]) {
      expect(readSignals(['1', text], 2)).toBe('input.range publicSignals[1]: expected a number below r');
    }
  });
});
