import { describe, expect, it } from 'vitest';
import { readProof } from '../../src/groth16/proof.ts';
import { be32, P } from '../support/crypto/bn254.ts';
import { join } from '../support/forms/bytes.ts';
import { compressedBytes, PROOF_FORMS, proofBytes, solidityArguments } from '../support/forms/proofs.ts';
import { OTHER_STATEMENT, TRUE_STATEMENT } from '../support/forms/statement.ts';
import { deep, hex } from '../support/forms/values.ts';
import { WRONG_PROOFS } from '../support/forms/wrong.ts';

const EXPECTED = proofBytes(TRUE_STATEMENT.proof);
/** What the engine refuses, not the reader. */
const OF_ENGINE = /other order|solidity|p or more/i;

describe('a proof', () => {
  it.each(PROOF_FORMS)('is read: $name', ({ write, form, hasSignals }) => {
    const read = readProof(write(TRUE_STATEMENT));
    const padded = join(compressedBytes(TRUE_STATEMENT.proof), new Uint8Array(128));
    expect(read).toMatchObject({ form, bytes: form === 'compressed-bytes' ? padded : EXPECTED });
    const signals = read.signals as readonly string[] | undefined;
    expect(signals?.map((text) => String(BigInt(text)))).toEqual(
      hasSignals ? TRUE_STATEMENT.publicSignals : undefined,
    );
  });

  it.each(WRONG_PROOFS.filter(({ name, message }) => !OF_ENGINE.test(name + message)))(
    'is refused: $name',
    ({ value, code, message }) => {
      expect(() => readProof(value)).toThrow(
        expect.objectContaining({ name: 'FormError', code, message: expect.stringMatching(message) }),
      );
    },
  );

  it('has its labels ignored where snarkjs ignores them', () => {
    const mislabelled = { ...TRUE_STATEMENT.proof, protocol: 'plonk', curve: 'bls12381' };
    expect(readProof(mislabelled, { isLax: true }).bytes).toEqual(EXPECTED);
  });

  it('in Solidity’s order and in that of ZoKrates has the same bytes', () => {
    const [a, b, c] = solidityArguments(TRUE_STATEMENT.proof);
    const turned = (b as unknown[][]).map((pair) => pair.toReversed());
    expect(readProof({ a, b, c })).toMatchObject({ form: 'solidity', bytes: EXPECTED });
    expect(readProof({ a, b: turned, c })).toMatchObject({ form: 'zokrates', bytes: EXPECTED });
    // Of lists, which Solidity alone has, the order is not guessed.
    expect(readProof([a, turned, c]).bytes).not.toEqual(EXPECTED);
  });

  it('ends with another half than zeros, which the engine would take for a compressed proof', () => {
    const zeros = EXPECTED.slice();
    zeros.fill(0, 128);
    for (const value of [zeros, join(Uint8Array.of(1, 2, 3, 4), zeros), [...Array(8)].map(() => '0')])
      expect(() => readProof(value)).toThrow(expect.objectContaining({ code: 'proof.point_not_on_curve' }));
  });

  it('of 128 bytes in the compressed form is not taken for one of arkworks', () => {
    for (const { proof } of [TRUE_STATEMENT, OTHER_STATEMENT])
      expect(readProof(compressedBytes(proof)).form).toBe('compressed-bytes');
    for (let last = 0; last < 48; last++) {
      // Numbers that arkworks allows as well, whatever is a point there.
      const words = [1n, 2n, 3n, 4n].map((word) => be32((word << 240n) | BigInt(last)));
      expect(readProof(join(...words)).form).toBe('compressed-bytes');
    }
  });

  it('of 256 bytes that are no points is left to the engine', () => {
    for (const byte of [1, 0x2f, 0x30, 0x3f, 0x80, 0xff])
      expect(readProof(new Uint8Array(256).fill(byte))).toMatchObject({ form: 'bytes' });
  });

  it('in compressed bytes has one way to be written', () => {
    for (const { name, write } of PROOF_FORMS.filter((form) =>
      /compressed before|arkworks compressed/.test(form.name),
    )) {
      const bytes = write(TRUE_STATEMENT) as Uint8Array;
      for (let bit = 0; bit < bytes.length * 8; bit += 37) {
        const changed = bytes.slice();
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        let read: Uint8Array | undefined;
        try {
          read = readProof(changed).bytes;
        } catch (error) {
          expect(error, name).toMatchObject({ name: 'FormError' });
        }
        expect(read, name).not.toEqual(EXPECTED);
      }
    }
  });

  it('has numbers of any form within any form', () => {
    const [a, b, c] = solidityArguments(TRUE_STATEMENT.proof).map((value) => deep(value, hex));
    expect(readProof(JSON.stringify({ proof: { pA: a, pB: b, pC: c }, inputs: [] }))).toMatchObject({
      form: 'solidity',
      bytes: EXPECTED,
      signals: [],
    });
    expect(() => readProof({ a: [String(P), '-1'], b, c })).toThrow(/^a\[1\]: .*from 0/);
  });
});
