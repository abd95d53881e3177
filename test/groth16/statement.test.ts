import { describe, expect, it } from 'vitest';
import { readProof } from '../../src/groth16/proof.ts';
import { readStatement, shownForm, withSignals } from '../../src/groth16/statement.ts';
import { join } from '../support/forms/bytes.ts';
import { calldata, proofBytes, signalBytes, zokratesProof } from '../support/forms/proofs.ts';
import { CHANGED_SIGNAL, TRUE_STATEMENT } from '../support/forms/statement.ts';

const { proof, publicSignals } = TRUE_STATEMENT;
const BYTES = join(proofBytes(proof), signalBytes(publicSignals));

describe('a statement', () => {
  it('is the proof and its public signals', () => {
    expect(readStatement(proof, publicSignals, 3)).toEqual({ form: 'snarkjs', bytes: BYTES });
    expect(withSignals(readProof(proofBytes(proof)), signalBytes(publicSignals), 3)).toEqual({
      form: 'bytes',
      bytes: BYTES,
    });
  });

  it.each([TRUE_STATEMENT, calldata(TRUE_STATEMENT), zokratesProof(TRUE_STATEMENT)])(
    'has the signals that came with the proof: %#',
    (value) => {
      expect(readStatement(value, undefined, 3).bytes).toEqual(BYTES);
      expect(readStatement(value, publicSignals, 3).bytes).toEqual(BYTES);
      expect(() => readStatement(value, CHANGED_SIGNAL.publicSignals, 3)).toThrow(/other public signals/);
      expect(() => readStatement(value, undefined, 2)).toThrow(
        expect.objectContaining({ code: 'input.count' }),
      );
    },
  );

  it('needs signals, and as many as the key has', () => {
    expect(() => readStatement(proof, undefined, 3)).toThrow(
      expect.objectContaining({ code: 'input.form', isType: true, path: '' }),
    );
    expect(() => readStatement(proof, publicSignals, 4)).toThrow(
      expect.objectContaining({ code: 'input.count' }),
    );
    expect(() => readStatement({ proof, publicSignals: null }, undefined, 3)).toThrow(/required/);
  });

  it('names its form unless it is a usual one', () => {
    expect(['snarkjs', 'bytes', 'compressed-bytes'].map(shownForm)).toEqual([{}, {}, {}]);
    expect(shownForm('zokrates')).toEqual({ form: 'zokrates' });
  });
});
