// Rules: spec/verification.md#forms-of-proofs
import { describe, expect, it } from 'vitest';
import { FormError } from '../../../src/groth16/layout.ts';
import { proofBytes, type SnarkjsProof } from '../../../src/semaphore/snarkjs-forms.ts';
import { proofOf, signalsOf } from '../../../src/verification/groth16.ts';
import { R } from '../../support/crypto/bn254.ts';
import { ENTRY, proofBytesOf, snarkjsForm } from '../support/groth16.ts';
import { VECTORS } from '../support/vectors.ts';

/** Returns bytes in hex, or the code and message of the refusal. */
function outcome(decode: () => Uint8Array): string {
  try {
    return Buffer.from(decode()).toString('hex');
  } catch (fault) {
    if (fault instanceof FormError) return `${fault.code} ${fault.message}`;
    throw fault;
  }
}

const readProof = (value: unknown): string => outcome(() => proofOf(value));
const readSignals = (value: unknown, count = 1): string => outcome(() => signalsOf(value, count));
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const compressed = ENTRY.proof_compressed.map((text) => text.slice(2)).join('');

describe('proofOf', () => {
  it('reads an object of snarkjs and hex as the same words', () => {
    for (const { proof } of VECTORS.slice(0, 20)) {
      const form = snarkjsForm(Buffer.from(proof.slice(2), 'hex'));
      expect(readProof(form)).toBe(proof.slice(2).toLowerCase());
      expect(readProof(form)).toBe(Buffer.from(proofBytes(form as unknown as SnarkjsProof)).toString('hex'));
      expect(readProof(proof)).toBe(proof.slice(2).toLowerCase());
    }
  });

  it('reads hex of either case, and pads a compressed proof with zero words', () => {
    expect(readProof(`0X${ENTRY.proof.slice(2).toUpperCase()}`)).toBe(ENTRY.proof.slice(2));
    expect(readProof(`0x${compressed}`)).toBe(`${compressed}${'0'.repeat(256)}`);
  });

  it('refuses zeros in words 4 to 7, which would make it a compressed proof', () => {
    expect(readProof(`0x${compressed}${'0'.repeat(256)}`)).toMatch(/^proof\.point_not_on_curve /);
    const zero = ['0', '0', '1'];
    const form = { ...snarkjsForm(proofBytesOf(ENTRY)), pi_c: zero };
    expect(
      readProof({
        ...form,
        pi_b: [
          ['1', '2'],
          ['0', '0'],
          ['1', '0'],
        ],
      }),
    ).toMatch(/^proof\.point_not_on_curve /);
    expect(readProof(form)).toMatch(/^[0-9a-f]{512}$/);
  });

  it.each([
    ['text without 0x', ENTRY.proof.slice(2)],
    ['an empty text', ''],
    ['hex with another character', `${ENTRY.proof.slice(0, -1)}g`],
    ['full-width digits', `0x${'\uff11'.repeat(512)}`],
    ['null', null],
    ['a number', 5],
    ['an array', []],
    ['an empty object', {}],
    ['projective coordinates', { ...snarkjsForm(proofBytesOf(ENTRY)), pi_c: ['0', '1', '0'] }],
    ['hex coordinates', { ...snarkjsForm(proofBytesOf(ENTRY)), pi_a: ['0x1', '0x2', '1'] }],
  ])('refuses %s as no form of a proof', (_, value) => {
    expect(readProof(value)).toMatch(/^proof\.form /);
  });

  it.each([0, 127, 129, 255, 257, 128.5, 100_000])('refuses hex of %d bytes', (bytes) => {
    expect(readProof(`0x${'1'.repeat(bytes * 2)}`)).toMatch(/^proof\.length /);
  });

  it('never repeats what was sent', () => {
    for (const value of ['secret', '0xsecret', { pi_a: ['secret', 'secret', 'secret'] }]) {
      expect(readProof(value)).not.toContain('secret');
    }
    expect(readSignals(['secret'])).not.toContain('secret');
    expect(readSignals(['0xsecret'])).not.toContain('secret');
  });
});

describe('signalsOf', () => {
  it.each([
    ['decimal text', '18', 18n],
    ['hex', '0x12', 18n],
    ['hex of 64 digits in upper case', `0X${word(R - 1n).toUpperCase()}`, R - 1n],
    ['hex with leading zeros', '0x0012', 18n],
    ['an integer', 18, 18n],
    // refused by the engine, never reduced
    ['r', String(R), R],
    ['r in hex', `0x${word(R)}`, R],
  ])('writes %s', (_, value, expected) => {
    expect(readSignals([value])).toBe(word(expected));
  });

  it('writes signals in order, and none for a key without inputs', () => {
    expect(readSignals(['1', '0x2', 3], 3)).toBe([1n, 2n, 3n].map(word).join(''));
    expect(readSignals([], 0)).toBe('');
  });

  it.each([
    ['an empty text', ''],
    ['a leading zero', '01'],
    ['white space', ' 1'],
    ['hex without digits', '0x'],
    ['65 hex digits', `0x${'0'.repeat(65)}`],
    ['another character in hex', '0x1g'],
    ['a fraction as number', 1.5],
    ['an unsafe integer', 2 ** 53],
    ['null', null],
    ['an array', ['1']],
  ])('refuses %s', (_, value) => {
    expect(readSignals(['1', value], 2)).toMatch(/^input\.form publicSignals\[1\]: /);
  });

  it('refuses another number of signals, and what is no array, before it reads them', () => {
    expect(readSignals([], 1)).toMatch(/^input\.count /);
    expect(readSignals(['0xg', '0xg'], 1)).toMatch(/^input\.count /);
    expect(readSignals('0x1')).toMatch(/^input\.form /);
    expect(readSignals(undefined, 0)).toMatch(/^input\.form /);
  });

  it('refuses 2^256 and more as out of range, however long the text is', () => {
    for (const text of [String(1n << 256n), '9'.repeat(500_000)]) {
      expect(readSignals([text])).toMatch(/^input\.range publicSignals\[0\]: /);
    }
  });
});
