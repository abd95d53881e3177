import { describe, expect, it } from 'vitest';
import { readSignals, signalsIn, writeSignal } from '../../src/groth16/signals.ts';
import { be32, R } from '../support/crypto/bn254.ts';
import { count, hexOf, join } from '../support/forms/bytes.ts';
import { arkworksInputs, gnarkWitness, SIGNALS_FORMS, signalBytes } from '../support/forms/proofs.ts';
import { TRUE_STATEMENT } from '../support/forms/statement.ts';
import { WRONG_SIGNALS } from '../support/forms/wrong.ts';

const { publicSignals: SIGNALS } = TRUE_STATEMENT;
const EXPECTED = signalBytes(SIGNALS);

describe('public signals', () => {
  it.each(SIGNALS_FORMS)('are read: $name', ({ write }) => {
    expect(readSignals(write(SIGNALS), 3)).toEqual(EXPECTED);
  });

  // r and more is the engine's to refuse.
  it.each(WRONG_SIGNALS.filter(({ name }) => name !== 'r'))(
    'are refused: $name',
    ({ value, code, message }) => {
      expect(() => readSignals(value, 3)).toThrow(
        expect.objectContaining({ name: 'FormError', code, message: expect.stringMatching(message) }),
      );
    },
  );

  it('may be none', () => {
    for (const none of [[], '[]', gnarkWitness([]), arkworksInputs([])])
      expect(readSignals(none, 0)).toEqual(new Uint8Array());
    expect(() => readSignals(undefined, 0)).toThrow(
      expect.objectContaining({ code: 'input.form', isType: true }),
    );
  });

  it('are not reduced', () => {
    expect(readSignals([String(R)], 1)).toEqual(be32(R));
  });

  it('of a witness with secret values or another number are refused', () => {
    for (const head of [
      [2, 1, 3],
      [3, 0, 2],
      [2, 0, 3],
    ]) {
      const bytes = join(...head.map((value) => count(value, 'gnark')), EXPECTED);
      expect(() => readSignals(bytes, 3)).toThrow(expect.objectContaining({ code: 'input.count' }));
    }
    expect(() => readSignals(join(count(2, 'arkworks'), EXPECTED), 3)).toThrow(/3 × 32 bytes, got 104/);
  });

  it('of many small numbers in bytes of arkworks are no JSON, though they begin as some', () => {
    const small = Array.from({ length: 0x5b }, (_, index) => String(index % 100));
    expect(readSignals(arkworksInputs(small), small.length)).toEqual(signalBytes(small));
  });

  it('as 64 digits need 0x', () => {
    const digits = '1'.repeat(64);
    expect(() => readSignals(digits, 1)).toThrow(/ambiguous/);
    expect(readSignals(`0x${digits}`, 1)).toEqual(be32(BigInt(`0x${digits}`)));
    expect(readSignals([digits], 1)).toEqual(be32(BigInt(digits)));
    expect(readSignals(hexOf(EXPECTED).slice(2), 3)).toEqual(EXPECTED);
  });

  it('are found before they are read', () => {
    expect(signalsIn('["x"]')).toEqual(['x']);
    expect(signalsIn(EXPECTED)).toEqual(EXPECTED);
    for (const none of [null, undefined, 5, true, {}, () => []])
      expect(() => signalsIn(none)).toThrow(/array of/);
  });

  it('are named by their index', () => {
    expect(() => writeSignal('x', new Uint8Array(32), 7)).toThrow(/^publicSignals\[7\]: /);
  });
});
