import { describe, expect, it } from 'vitest';
import { readProof } from '../../../src/groth16/proof.ts';
import { snarkjsProofBytes, snarkjsSignalBytes } from '../../../src/library/facade/snarkjs-values.ts';
import { be32, R } from '../../support/crypto/bn254.ts';
import { circuitStatements, type Statement } from '../../support/snarkjs/bases.ts';

/** No signals, to which those of a proof would have to be equal. */
const NONE = new Uint8Array(0);

const [{ proof, signals }] = circuitStatements() as [Statement];

describe('a proof in the forms of snarkjs', () => {
  it('has the bytes of the plain form, with or without third coordinates', () => {
    const affine = {
      pi_a: proof.pi_a.slice(0, 2),
      pi_b: proof.pi_b.slice(0, 2),
      pi_c: proof.pi_c.slice(0, 2),
    };
    expect(snarkjsProofBytes(proof, NONE)).toEqual(readProof(proof).bytes);
    expect(snarkjsProofBytes(affine, NONE)).toEqual(readProof(proof).bytes);
  });

  it('is none with a third coordinate other than 1 or 0, or a coordinate that is no number', () => {
    const [x, y] = proof.pi_a;
    const [bx, by] = proof.pi_b;
    for (const pi_a of [
      [x, y, '2'],
      [x, y, '256'],
      [x, ' 1', '1'],
      [x, true, '1'],
    ])
      expect(snarkjsProofBytes({ ...proof, pi_a }, NONE)).toBeUndefined();
    for (const third of [
      ['1', '1'],
      ['0', '1'],
      ['2', '0'],
    ])
      expect(snarkjsProofBytes({ ...proof, pi_b: [bx, by, third] }, NONE)).toBeUndefined();
  });

  it('is an error without a member or a coordinate', () => {
    for (const wrong of [
      null,
      'proof',
      [],
      {},
      { ...proof, pi_b: undefined },
      { ...proof, pi_c: ['1', null, '1'] },
    ])
      expect(() => snarkjsProofBytes(wrong, NONE)).toThrow(expect.objectContaining({ code: 'proof.form' }));
  });
});

describe('public signals in the forms of snarkjs', () => {
  it('are words below r', () => {
    expect(snarkjsSignalBytes(signals, signals.length)).toEqual(
      Uint8Array.from(be32(BigInt(signals[0] ?? ''))),
    );
    expect(snarkjsSignalBytes([R - 1n], 1)).toEqual(be32(R - 1n));
    expect(snarkjsSignalBytes([], 0)).toEqual(new Uint8Array(0));
  });

  it.each([[['1', R]], [['1', -1n]], [['1']], [['1', ' 2']], [['1', true]], [[R, null]]])(
    '%s are none of two',
    (list) => {
      expect(snarkjsSignalBytes(list, 2)).toBeUndefined();
    },
  );

  it.each<[unknown, string]>([
    [['1', null], 'input.form'],
    [['1', 'two'], 'input.form'],
    [['1', new Uint8Array(31)], 'input.form'],
    [['1', '2', '3'], 'input.count'],
    [null, 'input.form'],
    ['12', 'input.form'],
    [{ 0: '1', 1: '2', length: 2 }, 'input.form'],
  ])('%s are an error', (list, code) => {
    expect(() => snarkjsSignalBytes(list, 2)).toThrow(expect.objectContaining({ code }));
  });
});
